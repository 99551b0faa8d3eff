//! What is chosen among equals, and what is easily missed: one hand each.

use ginrummy_engine::{
    CardSet, Meld, best_arrangement, best_defence, best_discard, deadwood, minimal_arrangements,
};

fn cards(text: &str) -> CardSet {
    text.parse().unwrap()
}

fn melds(texts: &[&str]) -> Vec<Meld> {
    texts
        .iter()
        .map(|text| Meld::try_from(cards(text)).unwrap())
        .collect()
}

fn melds_chosen(hand: &str) -> Vec<String> {
    best_arrangement(cards(hand))
        .melds
        .iter()
        .map(Meld::to_string)
        .collect()
}

/// The layoffs of the best defence as "card>meld index", and the deadwood points left.
fn defence(knocker: &[&str], defender: &str) -> (Vec<String>, u32) {
    let defence = best_defence(&melds(knocker), cards(defender));
    let layoffs = defence
        .layoffs
        .iter()
        .map(|l| format!("{}>{}", l.card, l.meld_index))
        .collect();
    (layoffs, defence.arrangement.deadwood_points)
}

#[test]
fn the_set_is_chosen_where_the_run_exposes_more() {
    assert_eq!(melds_chosen("4D 5D 6D 5H 5S"), ["5D 5H 5S"]);
}

#[test]
fn a_card_held_in_the_hand_is_not_exposed() {
    // Clubs in a run: with the diamonds TD and TC are exposed, with the queens TC alone, for QC is
    // the hand's own.
    assert_eq!(
        melds_chosen("JC QC KC JD QD KD QH QS"),
        ["JC QC KC", "QD QH QS"]
    );
}

#[test]
fn a_card_that_two_melds_expose_counts_once() {
    // 9C and KC, 19 points, with the run; KC and JH, 20 points, with the jacks.
    assert_eq!(
        melds_chosen("TC JC QC JD JS KD KH KS"),
        ["TC JC QC", "KD KH KS"]
    );
}

#[test]
fn one_long_run_is_chosen_rather_than_its_parts() {
    assert_eq!(
        melds_chosen("AS 2S 3S 4S 5S 6S 7S"),
        ["AS 2S 3S 4S 5S 6S 7S"]
    );
    assert_eq!(minimal_arrangements(cards("AS 2S 3S 4S 5S 6S 7S")).len(), 3);
}

#[test]
fn eleven_cards_in_melds_are_a_big_gin() {
    let hand = "KC KD KH KS AC 2C 3C 4C 7D 8D 9D";
    assert_eq!(deadwood(cards(hand)), 0);
    assert_eq!(best_arrangement(cards(hand)).melds.len(), 3);
    // Ordinary gin from there: a king is the highest card that can go.
    let best = best_discard(cards(hand), "KS".parse().ok());
    assert_eq!(
        (best.card.to_string().as_str(), best.deadwood_points),
        ("KH", 0)
    );
}

#[test]
fn what_is_discarded_from_eleven_may_undo_their_best_arrangement() {
    let hand = cards("AS 2S 6S 3C 4C 5C 6C 5D 4H 5H 6H");
    assert_eq!(best_discard(hand, None).deadwood_points, 8);
}

#[test]
fn the_fourth_card_goes_on_the_run_when_only_that_lets_the_next_follow() {
    let knocker = ["TC TD TH", "JS QS KS"];
    assert_eq!(
        defence(&knocker, "9S TS"),
        (vec!["TS>1".into(), "9S>1".into()], 0)
    );
    assert_eq!(defence(&knocker, "TS"), (vec!["TS>0".into()], 0));
}

#[test]
fn cards_between_two_runs_go_on_the_lower_index() {
    let knocker = ["9H TH JH", "4H 5H 6H"];
    assert_eq!(
        defence(&knocker, "7H 8H"),
        (vec!["8H>0".into(), "7H>0".into()], 0)
    );
}

#[test]
fn a_run_of_the_defender_stays_where_laying_it_off_gains_nothing() {
    assert_eq!(defence(&["4H 5H 6H"], "7H 8H 9H KC"), (vec![], 10));
}

#[test]
fn a_set_of_four_spares_the_card_that_opens_the_way() {
    let layoffs = vec!["7H>0".into(), "8H>0".into()];
    assert_eq!(defence(&["4H 5H 6H"], "7C 7D 7H 7S 8H"), (layoffs, 0));
}

#[test]
fn a_set_is_kept_where_its_card_could_be_laid_off() {
    assert_eq!(defence(&["AH 2H 3H"], "4C 4D 4H 5H 9C"), (vec![], 14));
}
