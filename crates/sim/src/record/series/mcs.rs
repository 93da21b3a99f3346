//! The series `mcs`: counts by user and row of the table of rates, of the measured time.

use airlink_model::probe::GrantRecord;

use super::{Asks, ChunkedVec, Needs, Series, Setting, columns, count, number};

/// How often a user was sent at a row of the table of rates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct McsRow {
    user: u32,
    mcs: u32,
    grants: u64,
    bits: f64,
}

columns! { McsRow:
    user whole |row| row.user.into() => "number of the user";
    mcs whole |row| row.mcs.into() => "row of the table of rates, from 0; always 0 where rates come from no table";
    grants whole |row| count(row.grants) => "subchannels that the user was granted at that row, after the warm-up";
    granted_bytes real |row| row.bits / 8.0 => "bytes that they can carry";
}

/// Grants and bits at each row that was used, by user.
#[derive(Clone, Debug, Default)]
pub(crate) struct McsCounts {
    users: Vec<Vec<(u64, f64)>>,
}

impl From<McsCounts> for ChunkedVec<McsRow> {
    fn from(counts: McsCounts) -> Self {
        let mut rows = Self::default();
        for (user, used) in counts.users.iter().enumerate() {
            for (mcs, &(grants, bits)) in used.iter().enumerate().filter(|(_, (grants, _))| *grants > 0) {
                rows.push(McsRow { user: number(user), mcs: number(mcs), grants, bits });
            }
        }
        rows
    }
}

impl Series for McsCounts {
    const WHAT: &'static str = "how often each user was sent at each row of the table of rates, after the warm-up";
    const NEEDS: Needs = Needs::Radio;
    const ASKS: &'static [Asks] = &[Asks::Grants];
    const HAS_FEW_ROWS: bool = true;
    type Rows = ChunkedVec<McsRow>;

    fn begin(&mut self, setting: Setting) {
        self.users = vec![Vec::new(); setting.users];
    }

    fn start_measuring(&mut self) {
        self.users.iter_mut().for_each(|rows| rows.fill((0, 0.0)));
    }

    fn on_grant(&mut self, grant: &GrantRecord<'_>) {
        let rows = &mut self.users[grant.user.index()];
        for grant in grant.grants.iter().filter(|grant| grant.bits > 0.0) {
            let row = usize::from(grant.mcs);
            if row >= rows.len() {
                rows.resize(row + 1, (0, 0.0));
            }
            rows[row].0 += 1;
            rows[row].1 += f64::from(grant.bits);
        }
    }
}
