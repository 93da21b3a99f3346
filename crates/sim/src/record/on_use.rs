//! Records by number, each made when something is first written into it: most users of a large cell may never be active.

/// So many records.
#[derive(Clone, Debug)]
pub(crate) struct Records<T> {
    records: Vec<Option<Box<T>>>,
    /// Stands for each that nothing was written into.
    empty: T,
}

impl<T: Default + Clone> Records<T> {
    /// `count` empty records.
    pub(crate) fn new(count: usize) -> Self {
        Self { records: vec![None; count], empty: T::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// The record of that number, to write into.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self, number: usize) -> &mut T {
        let place = &mut self.records[number];
        if place.is_none() {
            begin(place);
        }
        place.as_deref_mut().expect("it is there")
    }

    /// All records in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.records.iter().map(|record| record.as_deref().unwrap_or(&self.empty))
    }

    /// All records in their order, none in the place of one that nothing was written into.
    pub(crate) fn each_mut(&mut self) -> impl Iterator<Item = Option<&mut T>> {
        self.records.iter_mut().map(Option::as_deref_mut)
    }
}

#[cold]
#[inline(never)]
fn begin<T: Default>(place: &mut Option<Box<T>>) {
    *place = Some(Box::default());
}
