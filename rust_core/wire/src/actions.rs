//! What a player may do.

use ginrummy_engine::{Action, Layoff};

use crate::cards::{card, count, groups};
use crate::events::pile_number;
use crate::v1;
use crate::v1::action::Kind;

/// An action, ready to be sent back.
#[must_use]
pub fn action(action: &Action) -> v1::Action {
    let kind = match action {
        Action::Pass => Kind::Pass(v1::Pass {}),
        Action::Draw { pile } => Kind::Draw(v1::Draw {
            pile: pile_number(*pile),
        }),
        Action::Discard { card: put_down } => Kind::Discard(v1::Discard {
            card: card(*put_down),
        }),
        Action::Knock { discard, melds } => Kind::Knock(v1::Knock {
            discard: card(*discard),
            melds: groups(melds),
        }),
        Action::BigGin { melds } => Kind::BigGin(v1::BigGin {
            melds: groups(melds),
        }),
        Action::LayOff { melds, layoffs } => Kind::LayOff(v1::LayOff {
            melds: groups(melds),
            moves: self::layoffs(layoffs),
        }),
    };
    v1::Action { kind: Some(kind) }
}

/// Layoffs in order.
pub(crate) fn layoffs(layoffs: &[Layoff]) -> Vec<v1::LayoffMove> {
    let moves = layoffs.iter().map(|layoff| v1::LayoffMove {
        card: card(layoff.card),
        meld_index: count(layoff.meld_index),
    });
    moves.collect()
}
