//! Why packets do not arrive, and what results call it: the only place where a reason has names and numbers.

/// Why a packet did not arrive, in the order of the result's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// The queue held as many packets or bytes as it may.
    QueueFull,
    /// Active queue management chose it, though there was room.
    Aqm,
    /// A part was lost on air and the link does not repeat.
    AirError,
    /// A part was lost on air more often than the link may repeat.
    RetryLimit,
    /// A wire lost it, by number, time or draw.
    WireLoss,
    /// A wire was out when it came.
    Outage,
}

/// Where packets are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropPlace {
    /// In a queue, for want of room.
    Queue,
    /// In a queue that chooses what it drops.
    ManagedQueue,
    /// On air.
    Air,
    /// On a wire.
    Wire,
}

/// What results say of a reason.
struct Words {
    name: &'static str,
    /// The number of the column `fate`; 0 is delivered and 4 is waiting.
    fate: u8,
    place: DropPlace,
    label: &'static str,
    meaning: &'static str,
}

impl DropReason {
    /// Every reason.
    pub const ALL: [Self; 6] =
        [Self::QueueFull, Self::Aqm, Self::AirError, Self::RetryLimit, Self::WireLoss, Self::Outage];

    const fn words(self) -> Words {
        match self {
            Self::QueueFull => Words {
                name: "queue_full",
                fate: 1,
                place: DropPlace::Queue,
                label: "queue full",
                meaning: "refused by a full queue",
            },
            Self::Aqm => Words {
                name: "aqm",
                fate: 7,
                place: DropPlace::ManagedQueue,
                label: "dropped by AQM",
                meaning: "dropped by active queue management though there was room",
            },
            Self::AirError => Words {
                name: "air_error",
                fate: 2,
                place: DropPlace::Air,
                label: "lost on air",
                meaning: "lost on air and not repaired by the link",
            },
            Self::RetryLimit => Words {
                name: "retry_limit",
                fate: 3,
                place: DropPlace::Air,
                label: "retry limit",
                meaning: "given up by link ARQ or HARQ at its retry limit",
            },
            Self::WireLoss => Words {
                name: "wire_loss",
                fate: 5,
                place: DropPlace::Wire,
                label: "lost on a wire",
                meaning: "lost on the wire behind the bottleneck",
            },
            Self::Outage => Words {
                name: "outage",
                fate: 6,
                place: DropPlace::Wire,
                label: "lost in an outage",
                meaning: "lost in an outage of the wire behind the bottleneck",
            },
        }
    }

    /// The reason's name in results.
    pub const fn name(self) -> &'static str {
        self.words().name
    }

    /// The reason's number in the column `fate` of results.
    pub const fn fate(self) -> u8 {
        self.words().fate
    }

    /// Where it happens.
    pub const fn place(self) -> DropPlace {
        self.words().place
    }

    /// The reason in two or three words.
    pub const fn label(self) -> &'static str {
        self.words().label
    }

    /// What became of the packet, after "packets".
    pub const fn meaning(self) -> &'static str {
        self.words().meaning
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_place_and_a_fate_of_its_own() {
        let fates = DropReason::ALL.map(DropReason::fate);
        for (index, reason) in DropReason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, index);
            assert_eq!(fates.iter().filter(|fate| **fate == fates[index]).count(), 1);
            assert!(!fates.contains(&0) && !fates.contains(&4), "delivered and waiting");
        }
    }
}
