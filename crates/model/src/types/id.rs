//! Names of cells, users and flows. A name says who it is, and nothing of where anything is kept.

macro_rules! name {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// Number `index`.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 of them"))
            }

            /// The number; an index where they are numbered from 0, as in a scenario.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

name! {
    /// The name of a cell.
    CellId
}
name! {
    /// The name of a user (a terminal), the same in every cell.
    UserId
}
name! {
    /// The number of a flow (one transport connection or source).
    FlowId
}
