//! Scripts that hold, scripts that do not, and lines that are none.

use super::*;

/// Every field of today's TCP, as the Python classes write it.
const FLOW: &str = include_str!("../../../../tests/fixtures/fixed-link.json");

/// Segments of 1000 bytes, four of them to start with.
fn tcp() -> String {
    let mut scenario: serde_json::Value = serde_json::from_str(FLOW).unwrap();
    let tcp = &mut scenario["flows"][0]["tcp"];
    for (name, value) in
        [("mss_bytes", 1000), ("initial_window_segments", 4), ("receiver_window_bytes", 60_000), ("header_bytes", 40)]
    {
        tcp[name] = value.into();
    }
    tcp.to_string()
}

fn sender(text: &str) -> Option<Difference> {
    play(Side::Sender, &tcp(), text, 1).unwrap()
}

fn receiver(text: &str) -> Option<Difference> {
    play(Side::Receiver, &tcp(), text, 1).unwrap()
}

fn mistakes(side: Side, text: &str) -> Vec<String> {
    match play(side, &tcp(), text, 1) {
        Err(Unplayable::Lines(mistakes)) => mistakes.iter().map(|m| format!("{}: {}", m.line, m.message)).collect(),
        other => panic!("{other:?}"),
    }
}

const FAST_RETRANSMIT: &str = "
    0    < open, supply 4000    # four segments
    0    > 0..4000
    100  < ack 0 times 3
    100  > 0..1000 again
    100  = recovering true, fast_retransmits 1
";

#[test]
fn a_sender_that_keeps_to_the_script_passes() {
    assert_eq!(sender(FAST_RETRANSMIT), None);
}

#[test]
fn the_first_difference_is_told_with_its_line_and_what_came() {
    let tell = |from: &str, to: &str| {
        let difference = sender(&FAST_RETRANSMIT.replace(from, to)).unwrap();
        format!("{}: {}; {}", difference.line, difference.expected, difference.came)
    };
    assert_eq!(tell("times 3", "times 2"), "5: `100 > 0..1000 again`; nothing");
    assert_eq!(tell("100  > 0..1000 again", "100 > 0..1000"), "5: `100 > 0..1000`; `100 > 0..1000 again`");
    assert_eq!(tell("0..4000", "0..5000"), "3: `0 > 4000..5000`; nothing");
    assert_eq!(tell("0..4000", "0..3000"), "4: nothing more before this line; `0 > 3000..4000`");
    assert_eq!(tell("recovering true", "recovering false"), "6: recovering false; recovering true");
    assert_eq!(
        tell("0    > 0..4000", "50 = silent"),
        "3: silence; `0 > 0..1000`, `0 > 1000..2000`, \
        `0 > 2000..3000`, `0 > 3000..4000`"
    );
    assert_eq!(tell("100  > 0..1000 again", ""), "6: nothing more; `100 > 0..1000 again`");
}

#[test]
fn timers_run_by_themselves_and_after_what_arrives_with_them() {
    let opened = "0 < open, supply 1000\n0 > 0..1000\n";
    assert_eq!(sender(&format!("{opened}1000 > 0..1000 again\n1000 = timeouts 1")), None);
    assert_eq!(sender(&format!("{opened}1000 < ack 1000\n2000 = silent, complete true")), None);
}

#[test]
fn a_receiver_is_held_to_its_number_its_window_and_its_blocks() {
    assert_eq!(receiver("0 < 0..1000\n0 > ack 1000 window 60000\n1 = goodput 1000"), None);
    assert_eq!(receiver("0 < 0..1000\n0 > ack 1000"), None);
    let difference = receiver("0 < 0..1000\n0 > ack 1000 window 5000").unwrap();
    assert_eq!(difference.came, "`0 > ack 1000 window 60000`");
    let difference = receiver("0 < 0..1000\n0 > ack 1000 sack 2000..3000").unwrap();
    assert_eq!(difference.expected, "`0 > ack 1000 sack 2000..3000`");
}

#[test]
fn every_bad_line_is_told_by_its_number() {
    let text = "5 < open\nx < stop\n5 ? stop\n7 <\n6 < close\n8 > 5..\n9 = speed 3\n10 = silent 3 4\n4 < stop";
    let messages = mistakes(Side::Sender, text);
    assert_eq!(messages.len(), 8, "{messages:#?}");
    for (line, words) in [
        ("2: ", "`x` is no time"),
        ("3: ", "`?` is no sign"),
        ("4: ", "nothing stands after `<`"),
        ("5: ", "a sender takes `open`"),
        ("6: ", "`` is no whole number"),
        ("7: ", "`speed` is no quantity"),
        ("8: ", "`silent` is no quantity"),
        ("9: ", "`4` is before the line above"),
    ] {
        let found = messages.iter().find(|message| message.starts_with(line)).unwrap();
        assert!(found.contains(words), "{found}");
    }
}

#[test]
fn words_that_do_not_fit_are_told() {
    for (side, line, words) in [
        (Side::Sender, "0 < ack", "a number is missing after `ack`"),
        (Side::Sender, "0 < ack 5 window", "a number is missing after `window`"),
        (Side::Sender, "0 < ack 5 sack", "one to four blocks"),
        (Side::Sender, "0 < ack 5 echo", "a time is missing after `echo`"),
        (Side::Sender, "0 < ack 5 please", "`please` does not belong here"),
        (Side::Sender, "0 < 0..1000", "a sender takes"),
        (Side::Sender, "0 > ack 5", "a sender sends"),
        (Side::Receiver, "0 < ack 5", "a receiver takes"),
        (Side::Receiver, "0 > 0..1000", "a receiver sends"),
        (Side::Receiver, "0 < 5..1", "must not end before it starts"),
        (Side::Receiver, "0 < 0..9999999999", "2^31"),
        (Side::Receiver, "0", "a line is"),
        (Side::Receiver, "-1 < 0..5", "`-1` is no time"),
        (Side::Receiver, "0 = silence", "neither"),
        (Side::Receiver, "# nothing", "no lines"),
    ] {
        let messages = mistakes(side, line);
        assert!(
            messages.len() == 1 && messages[0].starts_with("1: ") && messages[0].contains(words),
            "{line}: {messages:?}"
        );
    }
}

#[test]
fn fields_that_are_none_are_told() {
    let Err(Unplayable::Fields(problems)) = play(Side::Sender, "{}", "0 < open", 1) else { panic!("it played") };
    assert!(problems.iter().any(|problem| problem.to_string() == "tcp.mss_bytes: is missing"), "{problems:?}");
}
