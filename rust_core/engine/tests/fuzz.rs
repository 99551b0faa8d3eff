//! Arbitrary commands, legal or nonsense, to matches of arbitrary rules: no panic, a refused one
//! changes nothing, an accepted one leaves a match that can be.
//!
//! `PROPTEST_CASES=100000 cargo test --release --test fuzz` plays for long.

mod dice;

use dice::Dice;
use ginrummy_engine::{
    Action, Card, CardSet, Command, Event, Hand, HandView, Layoff, Match, Phase, Pile, Seat, Seed,
    Viewer,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn card() -> impl Strategy<Value = Card> {
    prop::sample::select(Card::DECK.to_vec())
}

fn seat() -> impl Strategy<Value = Seat> {
    prop::sample::select(Seat::BOTH.to_vec())
}

/// Any cards together: rarely a meld.
fn group() -> impl Strategy<Value = CardSet> {
    prop_oneof![
        4 => vec(card(), 0..6).prop_map(|cards| cards.into_iter().collect()),
        1 => any::<u64>().prop_map(|bits| {
            let cards: Vec<Card> = Card::all().collect();
            cards.into_iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, c)| c).collect()
        }),
    ]
}

fn layoff() -> impl Strategy<Value = Layoff> {
    (card(), prop_oneof![0..6usize, Just(usize::MAX)])
        .prop_map(|(card, meld_index)| Layoff { card, meld_index })
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Pass),
        prop::sample::select(vec![Pile::Stock, Pile::Discard])
            .prop_map(|pile| Action::Draw { pile }),
        card().prop_map(|card| Action::Discard { card }),
        (card(), vec(group(), 0..6)).prop_map(|(discard, melds)| Action::Knock { discard, melds }),
        vec(group(), 0..6).prop_map(|melds| Action::BigGin { melds }),
        (vec(group(), 0..6), vec(layoff(), 0..40))
            .prop_map(|(melds, layoffs)| Action::LayOff { melds, layoffs }),
    ]
}

/// One thing that somebody tries.
#[derive(Clone, Debug)]
enum Try {
    /// Anything, by anybody.
    Any(Command),
    /// Something that the hand allows, so that matches get on; chosen by this number.
    Legal(u64),
    /// Something allowed, by the wrong seat or with another's cards.
    Spoilt(u64, Seat, Action),
}

fn attempt() -> impl Strategy<Value = Try> {
    prop_oneof![
        12 => any::<u64>().prop_map(Try::Legal),
        6 => (seat(), action()).prop_map(|(seat, action)| Try::Any(Command::Act { seat, action })),
        4 => (any::<u64>(), seat(), action()).prop_map(|(n, seat, action)| Try::Spoilt(n, seat, action)),
        1 => (0..4u32).prop_map(|n| Try::Any(Command::TimeOut { timeouts_to_forfeit: n })),
        1 => prop_oneof![
            20 => Just(Command::TimeOut { timeouts_to_forfeit: 0 }),
            1 => seat().prop_map(|seat| Command::Resign { seat }),
            1 => seat().prop_map(|seat| Command::ClaimAbsence { seat }),
            1 => Just(Command::Abort),
        ].prop_map(Try::Any),
    ]
}

fn command(attempt: &Try, game: &Match) -> Command {
    let legal = |number: u64| Dice::new(number).legal_action(game.hand());
    match attempt {
        Try::Any(command) => command.clone(),
        Try::Legal(_) | Try::Spoilt(..) if game.result().is_some() => Command::Abort,
        Try::Legal(number) => {
            let (seat, action) = legal(*number);
            Command::Act { seat, action }
        }
        Try::Spoilt(number, seat, other) => {
            let mut action = legal(*number).1;
            match (&mut action, other) {
                (Action::Knock { melds, .. }, Action::Knock { melds: others, .. })
                | (Action::BigGin { melds }, Action::BigGin { melds: others }) => {
                    melds.clone_from(others);
                }
                (
                    Action::LayOff { layoffs, .. },
                    Action::LayOff {
                        layoffs: others, ..
                    },
                ) => {
                    layoffs.extend(others.iter().copied());
                }
                _ => {}
            }
            Command::Act {
                seat: *seat,
                action,
            }
        }
    }
}

/// Every card is somewhere, once; nobody holds more or fewer than he can.
fn assert_whole(hand: &Hand) {
    let mut places: Vec<Card> = hand.discard_pile().to_vec();
    places.extend(Seat::BOTH.into_iter().flat_map(|seat| hand.cards(seat)));
    let distinct: CardSet = places.iter().copied().collect();
    assert_eq!(distinct.len(), places.len(), "a card is in two places");
    if let Some(position) = hand.position() {
        assert_eq!(position.stock.len(), hand.stock_len());
        assert_eq!(
            distinct | position.stock.iter().copied().collect(),
            CardSet::ALL
        );
        let to_act = hand.to_act().expect("a running hand waits for somebody");
        for seat in Seat::BOTH {
            let may_be_eleven = seat == to_act && hand.phase() == Phase::Discard;
            let is_knocker = hand.phase() == Phase::Layoff && seat != to_act;
            let count = hand.cards(seat).len();
            assert!(
                count == 10 + usize::from(may_be_eleven)
                    || is_knocker && (10..=11).contains(&count),
                "{seat:?} holds {count} in {:?}",
                hand.phase()
            );
        }
    }
    assert_eq!(places.len() + hand.stock_len(), 52);
}

/// What a scored hand adds to the sheets is what its event says.
fn assert_scores(game: &Match, events: &[Event], points: &mut [u32; 2]) {
    for event in events {
        let Event::HandScored(scored) = event else {
            continue;
        };
        if let Some(winner) = scored.result.winner {
            points[winner.index()] += scored.result.points;
        } else {
            assert_eq!(scored.result.points, 0);
        }
        if !game.rules().hollywood {
            let counted = scored
                .sheets
                .each_ref()
                .map(|sheet| sheet.columns[0].hand_points);
            assert_eq!(counted, *points);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2_000, ..ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
    ) })]

    #[test]
    fn whatever_is_tried_a_match_is_whole_and_a_refusal_changes_nothing(
        number in any::<u64>(), attempts in vec(attempt(), 1..400)
    ) {
        let mut dice = Dice::new(number);
        let (mut game, mut events) = Match::start(&dice.rules(), Seed::new(dice.bytes()));
        let mut points = [0; 2];
        for tried in &attempts {
            let command = command(tried, &game);
            let before = game.clone();
            match game.apply(&command) {
                Err(_) => prop_assert_eq!(&game, &before, "{:?}", command),
                Ok(caused) => {
                    prop_assert!(before.result().is_none());
                    prop_assert!(!caused.is_empty());
                    assert_whole(game.hand());
                    assert_scores(&game, &caused, &mut points);
                    events.extend(caused);
                    for viewer in [Viewer::Spectator, Viewer::Seat(Seat::One), Viewer::Seat(Seat::Two)] {
                        prop_assert_eq!(HandView::new(game.hand(), viewer, true).phase, game.hand().phase());
                    }
                }
            }
        }
        let ends = events.iter().filter(|event| matches!(event, Event::MatchEnded(_))).count();
        prop_assert_eq!(ends, usize::from(game.result().is_some()));
    }
}
