//! ECN of a packet, as words: `ece cwr ce`.

use std::fmt;

use airlink_model::transport::Flags;
use airlink_model::types::Ecn;

use super::reader::Reader;

/// ECN of a packet (RFC 3168): `ece`, `cwr` and `ect0`, `ect1` or `ce`, at the end of a packet's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EcnWords {
    /// ECE and CWR of the TCP header, no others.
    pub(super) flags: Flags,
    /// The field of the IP header.
    pub(super) field: Ecn,
}

impl EcnWords {
    /// Those of a segment with these flags in a packet with this field.
    pub(super) fn of(flags: Flags, field: Ecn) -> Self {
        let ece = if flags.ece() { Flags::ECE } else { Flags::NONE };
        let cwr = if flags.cwr() { Flags::CWR } else { Flags::NONE };
        Self { flags: ece | cwr, field }
    }

    /// The words about ECN; none of them may come twice.
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let mut flags = Flags::NONE;
        for (word, flag) in [("ece", Flags::ECE), ("cwr", Flags::CWR)] {
            if reader.skip(word) {
                flags |= flag;
            }
        }
        let fields = [("ect0", Ecn::Ect0), ("ect1", Ecn::Ect1), ("ce", Ecn::Ce)];
        let field = fields.into_iter().find(|(word, _)| reader.skip(word)).map_or(Ecn::NotEct, |(_, field)| field);
        Self { flags, field }
    }
}

impl fmt::Display for EcnWords {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.flags.ece() { " ece" } else { "" })?;
        formatter.write_str(if self.flags.cwr() { " cwr" } else { "" })?;
        formatter.write_str(match self.field {
            Ecn::NotEct => "",
            Ecn::Ect0 => " ect0",
            Ecn::Ect1 => " ect1",
            Ecn::Ce => " ce",
        })
    }
}
