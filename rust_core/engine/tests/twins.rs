//! Twin matches that differ only in what is hidden: whoever has seen the same of both is told the same.

mod dice;

use dice::Dice;
use ginrummy_engine::{
    Action, Bot, Command, Deck, Event, Match, Pile, Rules, Seat, SeatView, Seed, Thinking, Viewer,
    replayed_to,
};
use serde_json::{Value, json};

const VIEWERS: [Viewer; 3] = [
    Viewer::Spectator,
    Viewer::Seat(Seat::One),
    Viewer::Seat(Seat::Two),
];

/// Two matches played in step.
struct Twins {
    rules: Rules,
    games: [Match; 2],
    events: [Vec<Event>; 2],
    /// Who has seen the same of both; of [`VIEWERS`].
    alike: Vec<Viewer>,
}

/// What a viewer at the table sees happen, written from the rules and not with the engine's views.
fn shown(event: &Event, viewer: Viewer, rules: &Rules) -> Value {
    let mut facts = serde_json::to_value(event).unwrap();
    match event {
        Event::HandDealt { .. } => {
            for seat in Seat::BOTH {
                if viewer != Viewer::Seat(seat) {
                    facts["hands"][seat.index()] = json!("hidden");
                }
            }
        }
        Event::CardDrawn {
            seat,
            pile: Pile::Stock,
            ..
        } if viewer != Viewer::Seat(*seat) => facts["card"] = json!("hidden"),
        Event::Knocked(showdown)
            if rules.knock_card_face_down && viewer != Viewer::Seat(showdown.seat) =>
        {
            facts["discard"] = json!("hidden");
        }
        _ => {}
    }
    facts
}

/// Decks whose hidden places have changed cards: of a seat, and some of the stock.
fn twin_decks(dice: &mut Dice) -> [Deck; 2] {
    let deck = dice.deck();
    let first = dice.below(2);
    let mut places: Vec<usize> = (first..20).step_by(2).take(dice.below(6)).collect();
    places.extend((21 + dice.below(2)..52).step_by(1 + dice.below(3)));
    let mut twin = deck;
    for i in (1..places.len()).rev() {
        twin.swap(places[i], places[dice.below(i + 1)]);
    }
    [deck, twin]
}

impl Twins {
    fn new(dice: &mut Dice) -> Self {
        let rules = dice.rules();
        let seed = Seed::new(dice.bytes());
        let pairs: Vec<[Deck; 2]> = (0..4).map(|_| twin_decks(dice)).collect();
        let dealer = dice.seat();
        let started = [0, 1].map(|world| {
            let decks: Vec<Deck> = pairs.iter().map(|pair| pair[world]).collect();
            Match::start_from_decks(&rules, &decks, dealer, seed).unwrap()
        });
        let [(first, dealt), (second, also_dealt)] = started;
        let mut twins = Self {
            rules,
            games: [first, second],
            events: [Vec::new(), Vec::new()],
            alike: VIEWERS.to_vec(),
        };
        twins.note([dealt, also_dealt]);
        twins
    }

    fn note(&mut self, events: [Vec<Event>; 2]) {
        let (rules, face_down) = (self.rules, self.rules.knock_card_face_down);
        let [first, second] = &events;
        self.alike.retain(|viewer| {
            let all_shown = |events: &[Event]| -> Vec<Value> {
                events.iter().map(|e| shown(e, *viewer, &rules)).collect()
            };
            all_shown(first) == all_shown(second)
        });
        for viewer in &self.alike {
            for (a, b) in first.iter().zip(second) {
                assert_eq!(a.seen_by(*viewer, face_down), b.seen_by(*viewer, face_down));
            }
        }
        let [first, second] = events;
        self.events[0].extend(first);
        self.events[1].extend(second);
    }

    fn assert_told_the_same(&self, viewer: Viewer, dice: &mut Dice) {
        let face_down = self.rules.knock_card_face_down;
        for hints in [true, false] {
            let [first, second] = [0, 1].map(|world| self.games[world].view(viewer, hints));
            assert_eq!(first, second);
        }
        if dice.one_in(4) {
            let [late, also_late] = [0, 1]
                .map(|w| replayed_to(viewer, &self.events[w], self.rules.pile_view, face_down));
            assert_eq!(late, also_late);
        }
        if let Some(seat) = viewer.seat() {
            self.assert_refused_the_same(seat, dice);
            // Thinking takes its time: of those that think, one a step.
            let thinking = Thinking {
                seed: 1,
                samples: Some(4),
                ..Thinking::default()
            };
            for bot in [Bot::Simple, Bot::Heuristic, dice.pick(&Bot::ALL)] {
                let [first, second] = [0, 1].map(|world| {
                    let view = self.games[world].seat_view(seat)?;
                    let advice = bot.suggest(&view, &thinking);
                    Some((bot.decide(&view, &thinking), advice))
                });
                assert_eq!(first, second, "{bot:?}");
            }
        }
    }

    /// Whether an action is legal, and why not, is told by what its player knows.
    fn assert_refused_the_same(&self, seat: Seat, dice: &mut Dice) {
        for _ in 0..4 {
            let action = dice.wild_action(self.games[0].hand());
            let [first, second] = [0, 1].map(|world| {
                let command = Command::Act {
                    seat,
                    action: action.clone(),
                };
                self.games[world].clone().apply(&command).err()
            });
            assert_eq!(first, second, "{action:?}");
        }
    }

    /// The same action in both, as one that is legal in both.
    fn step(&mut self, dice: &mut Dice) -> bool {
        let Some(seat) = self.games[0].to_act() else {
            return false;
        };
        if self.games[1].to_act() != Some(seat) {
            return false;
        }
        let [first, second] =
            [0, 1].map(|world| SeatView::new(self.games[world].hand(), seat).legal_actions());
        let common: Vec<Action> = first.into_iter().filter(|a| second.contains(a)).collect();
        if common.is_empty() {
            return false;
        }
        let quiet: Vec<Action> = common
            .iter()
            .filter(|a| !matches!(a, Action::Knock { .. }))
            .cloned()
            .collect();
        let from = if quiet.is_empty() || dice.one_in(8) {
            &common
        } else {
            &quiet
        };
        let command = Command::Act {
            seat,
            action: dice.pick(from),
        };
        let events = [0, 1].map(|world| self.games[world].apply(&command).unwrap());
        self.note(events);
        true
    }
}

#[test]
fn whoever_has_seen_the_same_is_told_the_same_whatever_is_hidden() {
    let mut compared = 0;
    for number in 0..600 {
        let mut dice = Dice::new(number);
        let mut twins = Twins::new(&mut dice);
        for _ in 0..150 {
            for viewer in &twins.alike {
                twins.assert_told_the_same(*viewer, &mut dice);
            }
            compared += twins.alike.len();
            if twins.alike.is_empty() || !twins.step(&mut dice) {
                break;
            }
        }
    }
    assert!(compared > 20_000, "{compared}");
}
