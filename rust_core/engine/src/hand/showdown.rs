//! The end of a hand by a player: knock, gin, big gin, and the defender's layoffs.

use super::{Hand, HandEvents, LastAction};
use crate::action::{BadMelds, Phase, Violation};
use crate::arrangement::{Arrangement, Melds, best_arrangement};
use crate::card::Card;
use crate::card_set::CardSet;
use crate::event::{Event, KnockKind, LaidOff, Showdown};
use crate::layoff::{Defence, Layoff, Layoffs, best_defence};
use crate::meld::{Meld, NotAMeld};
use crate::rules::MeldChoice;
use crate::seat::Seat;

impl Hand {
    pub(super) fn knock(
        &mut self,
        seat: Seat,
        discard: Card,
        groups: &[CardSet],
    ) -> Result<HandEvents, Violation> {
        self.check_discard(seat, discard)?;
        let arrangement = self.arrange_knocker(self.cards(seat).without(discard), groups)?;
        let (deadwood, limit) = (arrangement.deadwood_points, self.knock_limit());
        if deadwood > limit {
            return Err(Violation::OverKnockLimit { deadwood, limit });
        }
        let kind = if deadwood == 0 {
            KnockKind::Gin
        } else {
            KnockKind::Knock
        };
        self.part_with(seat, discard);
        Ok(self.show_down(seat, kind, arrangement, Some(discard)))
    }

    pub(super) fn big_gin(
        &mut self,
        seat: Seat,
        groups: &[CardSet],
    ) -> Result<HandEvents, Violation> {
        if !self.rules.big_gin {
            return Err(Violation::BigGinOff);
        }
        let arrangement = self.arrange_knocker(self.cards(seat), groups)?;
        if arrangement.deadwood_points > 0 {
            return Err(Violation::NotAllMelded {
                deadwood: arrangement.deadwood_points,
            });
        }
        self.drawn = None;
        Ok(self.show_down(seat, KnockKind::BigGin, arrangement, None))
    }

    fn arrange_knocker(&self, cards: CardSet, groups: &[CardSet]) -> Result<Arrangement, BadMelds> {
        match (self.rules.knocker_melds, groups.is_empty()) {
            (MeldChoice::Declared, true) => Err(BadMelds::Required),
            (MeldChoice::Auto, false) => Err(BadMelds::Refused),
            (_, true) => Ok(best_arrangement(cards)),
            (_, false) => declared_arrangement(cards, groups),
        }
    }

    fn show_down(
        &mut self,
        seat: Seat,
        kind: KnockKind,
        arrangement: Arrangement,
        discard: Option<Card>,
    ) -> HandEvents {
        let Arrangement {
            melds,
            deadwood,
            deadwood_points,
        } = arrangement;
        let showdown = Showdown {
            seat,
            kind,
            melds,
            deadwood,
            deadwood_points,
            discard,
        };
        self.showdown = Some(Box::new(showdown.clone()));
        self.note(seat, LastAction::Knocked);
        let mut events = HandEvents::from_iter([Event::Knocked(Box::new(showdown))]);
        let defender = seat.opponent();
        self.to_act = defender;
        if kind != KnockKind::Knock && !self.rules.layoff_on_gin {
            let arrangement = best_arrangement(self.cards(defender));
            self.end_scored(Defence {
                layoffs: Layoffs::new(),
                arrangement,
            });
        } else if self.rules.layoffs == MeldChoice::Auto {
            let defence = self.auto_defence(defender);
            events.extend(self.end_with_layoffs(defender, defence));
        } else {
            self.phase = Phase::Layoff;
        }
        events
    }

    fn knocker_melds(&self) -> Melds {
        self.showdown
            .as_ref()
            .map(|showdown| showdown.melds.clone())
            .unwrap_or_default()
    }

    pub(super) fn auto_defence(&self, defender: Seat) -> Defence {
        best_defence(&self.knocker_melds(), self.cards(defender))
    }

    pub(super) fn lay_off(
        &mut self,
        seat: Seat,
        groups: &[CardSet],
        layoffs: &[Layoff],
    ) -> Result<HandEvents, Violation> {
        let defence = if groups.is_empty() && layoffs.is_empty() {
            self.auto_defence(seat)
        } else {
            declared_defence(&self.knocker_melds(), self.cards(seat), groups, layoffs)?
        };
        Ok(self.end_with_layoffs(seat, defence))
    }

    pub(super) fn end_with_layoffs(&mut self, seat: Seat, defence: Defence) -> HandEvents {
        self.end_scored(defence);
        self.note(seat, LastAction::LaidOff);
        self.laid_off(seat)
            .map(|laid_off| Event::LaidOff(Box::new(laid_off)))
            .into_iter()
            .collect()
    }

    /// The defender's layoffs, as the result has them.
    pub(super) fn laid_off(&self, seat: Seat) -> Option<LaidOff> {
        let result = self.result()?;
        let [one, two] = result.arrangements.as_ref()?;
        let Arrangement {
            melds,
            deadwood,
            deadwood_points,
        } = if seat == Seat::One {
            one.clone()
        } else {
            two.clone()
        };
        Some(LaidOff {
            seat,
            layoffs: result.layoffs.clone(),
            melds,
            deadwood,
            deadwood_points,
        })
    }
}

/// The player's own groups as the arrangement that counts.
pub(super) fn declared_arrangement(
    cards: CardSet,
    groups: &[CardSet],
) -> Result<Arrangement, BadMelds> {
    let mut melds = Melds::new();
    let mut melded = CardSet::EMPTY;
    for group in groups {
        let meld =
            Meld::try_from(*group).map_err(|NotAMeld { cards }| BadMelds::NotAMeld { cards })?;
        if let Some(card) = (*group & melded).first() {
            return Err(BadMelds::SharedCard { card });
        }
        if let Some(card) = (*group - cards).first() {
            return Err(BadMelds::CardNotHeld { card });
        }
        melded |= *group;
        melds.push(meld);
    }
    melds.sort_unstable();
    Ok(Arrangement::of(cards, melds))
}

/// The defender's own groups and layoffs, which stand even when they are not the best.
fn declared_defence(
    knocker_melds: &[Meld],
    cards: CardSet,
    groups: &[CardSet],
    layoffs: &[Layoff],
) -> Result<Defence, Violation> {
    let mut rest = cards;
    for layoff in layoffs {
        if !rest.contains(layoff.card) {
            return Err(Violation::CardNotInHand { card: layoff.card });
        }
        rest.remove(layoff.card);
    }
    let arrangement = if groups.is_empty() {
        best_arrangement(rest)
    } else {
        declared_arrangement(rest, groups)?
    };
    let mut melds: Melds = knocker_melds.iter().copied().collect();
    for Layoff { card, meld_index } in layoffs.iter().copied() {
        let grown = melds.get(meld_index).and_then(|meld| meld.extended(card));
        melds[..]
            .get_mut(meld_index)
            .zip(grown)
            .map(|(meld, grown)| *meld = grown)
            .ok_or(Violation::DoesNotFit { card, meld_index })?;
    }
    Ok(Defence {
        layoffs: layoffs.iter().copied().collect(),
        arrangement,
    })
}
