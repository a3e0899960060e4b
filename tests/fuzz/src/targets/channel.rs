//! The sealed channel of a browser and its companion, by a list of what happens on the way: each byte says
//! what is done, the bytes behind it with what. Also messages of pairing, and heads of calls.
//!
//! Promises: a call comes through if and only if nobody touched it and none that was made later
//! came before; an answer opens only for the call it was made for; no other bytes open.

use linkscent_core::wire::api::{AnswerHead, CallHead};
use linkscent_core::wire::channel::{Channel, ChannelError, DeviceKey};
use linkscent_core::wire::pairing::{Attempt, Side};

use super::Seeds;
use crate::input::Input;

/// Steps that are done of one input.
const MOST_STEPS: usize = 200;

/// A call on its way.
struct Sent {
    message: Vec<u8>,
    plain: Vec<u8>,
    number: u64,
}

pub fn run(data: &[u8]) {
    if let Some(message) = data.strip_prefix(b"pair") {
        pair(message);
        return;
    }
    heads(data);
    let key = DeviceKey::from_bytes(&[7; 32]).expect("a key has 32 bytes");
    let mut browser = key.channel(&[1; 32], &[2; 32]);
    let mut companion = key.channel(&[1; 32], &[2; 32]);
    let (mut sent, mut taken): (Vec<Sent>, u64) = (Vec::new(), 0);
    let mut input = Input::new(data);
    for _ in 0..MOST_STEPS {
        if input.is_empty() {
            break;
        }
        match input.byte() % 4 {
            0 => {
                let plain = input.field().to_vec();
                let number = sent.len() as u64 + 1;
                let message = browser.call(&plain);
                assert!(
                    message.len() == plain.len() + 8 + 16,
                    "the length says more"
                );
                sent.push(Sent {
                    message,
                    plain,
                    number,
                });
            }
            1 => {
                let place = usize::from(input.byte());
                if let Some(call) = sent.get(place % sent.len().max(1)) {
                    deliver(&mut companion, call, &mut taken);
                }
            }
            2 => {
                let (place, at, mask) = (input.byte(), input.byte(), input.byte());
                if let Some(call) = sent.get(usize::from(place) % sent.len().max(1)) {
                    let mut message = call.message.clone();
                    let at = usize::from(at) % message.len();
                    message[at] ^= mask;
                    if mask != 0 {
                        assert_eq!(companion.open_call(&message), Err(ChannelError::Forged));
                    }
                }
            }
            _ => answer(&browser, &companion, &mut input, sent.len() as u64),
        }
    }
    assert_eq!(companion.open_call(data), Err(ChannelError::Forged));
    assert_eq!(browser.open_answer(data), Err(ChannelError::Forged));
}

fn deliver(companion: &mut Channel, call: &Sent, taken: &mut u64) {
    let opened = companion.open_call(&call.message);
    if call.number > *taken {
        assert_eq!(opened, Ok((call.number, call.plain.clone())));
        *taken = call.number;
    } else {
        assert_eq!(opened, Err(ChannelError::Repeated));
    }
}

fn answer(browser: &Channel, companion: &Channel, input: &mut Input<'_>, last: u64) {
    let number = u64::from(input.byte());
    let plain = input.field();
    let opened = browser.open_answer(&companion.answer(number, plain));
    if number == last {
        assert_eq!(opened.as_deref(), Ok(plain));
    } else {
        assert_eq!(opened, Err(ChannelError::Forged));
    }
}

/// Heads of calls and answers, a line of JSON each.
fn heads(data: &[u8]) {
    let line = data.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if let Ok(head) = serde_json::from_slice::<CallHead>(line) {
        let again = serde_json::to_vec(&head).expect("a head is written");
        assert_eq!(serde_json::from_slice::<CallHead>(&again).ok(), Some(head));
    }
    if let Ok(head) = serde_json::from_slice::<AnswerHead>(line) {
        let again = serde_json::to_vec(&head).expect("a head is written");
        assert_eq!(
            serde_json::from_slice::<AnswerHead>(&again).ok(),
            Some(head)
        );
    }
}

/// What a stranger sends in the place of a pairing message gives no key whose proofs hold.
fn pair(message: &[u8]) {
    let begin = |side, random| Attempt::begin(side, "12345678", 7_474, [random; 64]);
    let (companion, to_browser) = begin(Side::Companion, 9);
    let (browser, to_companion) = begin(Side::Extension, 7);
    let Ok(key) = companion.finish(message) else {
        return;
    };
    let own = browser
        .finish(&to_browser)
        .expect("the true message is taken");
    let holds = key.proves(Side::Extension, &own.proof(Side::Extension));
    assert_eq!(
        holds,
        message == to_companion,
        "a stranger's message is taken"
    );
}

pub fn seeds() -> Seeds {
    let (_, message) = Attempt::begin(Side::Extension, "12345678", 7_474, [7; 64]);
    vec![
        (
            "through",
            b"\0GET /\0\x01\x00\x03\x01fine\0\0two\0\x01\x01\x03\x02".to_vec(),
        ),
        (
            "replay",
            b"\0a\0\0b\0\x01\x01\x01\x00\x01\x01\x02\x00\x08\x01\x03\x00x".to_vec(),
        ),
        (
            "changed",
            b"\0mark this\0\x02\x00\x00\x01\x02\x00\x0c\x80\x01\x00".to_vec(),
        ),
        (
            "call",
            b"{\"method\":\"GET\",\"path\":\"/api/v1/model?topic=x\"}\nbody".to_vec(),
        ),
        ("answer", b"{\"status\":200,\"version\":7}\n\0\x01".to_vec()),
        ("pair", [b"pair".as_slice(), &message].concat()),
    ]
}
