//! The two seats of a table, and who looks on.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One of the two players. Seats are numbered 1 and 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    One,
    Two,
}

impl Seat {
    pub const BOTH: [Self; 2] = [Self::One, Self::Two];

    /// 0 or 1: the place in a pair of per-seat values.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// 1 or 2.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            _ => None,
        }
    }

    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::One => Self::Two,
            Self::Two => Self::One,
        }
    }
}

impl Serialize for Seat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.number())
    }
}

impl<'de> Deserialize<'de> for Seat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u8::deserialize(deserializer)?;
        Self::from_number(number)
            .ok_or_else(|| serde::de::Error::custom(format!("seat {number}: 1 or 2")))
    }
}

/// Who looks at a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    Seat(Seat),
    /// Sees what both players see.
    Spectator,
}

impl Viewer {
    /// 0 is a spectator, 1 and 2 are the seats.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match (number, Seat::from_number(number)) {
            (0, _) => Some(Self::Spectator),
            (_, Some(seat)) => Some(Self::Seat(seat)),
            _ => None,
        }
    }

    #[must_use]
    pub const fn seat(self) -> Option<Seat> {
        match self {
            Self::Seat(seat) => Some(seat),
            Self::Spectator => None,
        }
    }

    #[must_use]
    pub fn is(self, seat: Seat) -> bool {
        self == Self::Seat(seat)
    }
}
