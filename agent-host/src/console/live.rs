//! One stream for each page that is open: which parts of what it shows are others now.
//!
//! Is: names, never data; a page that wants more asks for it. It ends with its login. The sessions are looked at once every 150 ms for
//! all streams together, and not at all while there are none. No operator has more than their share of the places. Is not: a use of
//! the login. Clause: AUTH-4 (console, login). Source: HTML (server-sent events).

use super::house::House;
use super::routes::{answer, text, visitor};
use crate::admin::{Office, Pulse};
use crate::config::OperatorName;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use http_body::Frame;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(150);
/// Between two signs of life, which also find out that nobody reads any more, that a role changed, and that the login is over.
const ALIVE: Duration = Duration::from_secs(3);
/// Streams at a time.
const STREAMS: usize = 64;
/// Streams of one operator at a time.
pub(super) const EACH: usize = 16;

/// What all streams share.
#[derive(Default)]
pub(super) struct Live {
    pulse: watch::Sender<Arc<Pulse>>,
    open: Mutex<BTreeMap<OperatorName, usize>>,
}

impl Live {
    /// A place for one more stream of an operator's; none where there is none for them.
    fn place(self: &Arc<Self>, operator: &OperatorName) -> Option<Place> {
        let mut open = self.open.lock();
        let (all, theirs) = (open.values().sum::<usize>(), open.get(operator).copied().unwrap_or_default());
        if all >= STREAMS || theirs >= EACH {
            return None;
        }
        open.insert(operator.clone(), theirs + 1);
        Some(Place(self.clone(), operator.clone()))
    }

    fn look(&self, office: &Office) {
        let pulse = office.pulse();
        self.pulse.send_if_modified(|last| {
            let other = **last != pulse;
            if other {
                *last = Arc::new(pulse);
            }
            other
        });
    }
}

/// A stream's place, free again once it is dropped.
struct Place(Arc<Live>, OperatorName);

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.0.open.lock();
        match open.get_mut(&self.1) {
            Some(theirs) if *theirs > 1 => *theirs -= 1,
            _ => drop(open.remove(&self.1)),
        }
    }
}

/// Looks for everybody, for as long as it is polled.
pub(super) async fn looks(house: Arc<House>) {
    let mut every = interval(LOOK);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        every.tick().await;
        if house.live.pulse.receiver_count() > 0 {
            house.live.look(&house.office);
        }
    }
}

/// The stream.
pub(super) async fn follow(State(house): State<Arc<House>>, request: Request) -> Response {
    let Some((operator, login)) = visitor(&house, request.headers(), request.method()) else {
        return text(StatusCode::UNAUTHORIZED, "nobody is logged in");
    };
    let Some(place) = house.live.place(&login.operator) else {
        return text(StatusCode::SERVICE_UNAVAILABLE, "as many pages are open as may be");
    };
    let (tell, told) = mpsc::channel(4);
    let over = login.over.clone();
    // What is known by now is no news.
    house.live.look(&house.office);
    let mut pulses = house.live.pulse.subscribe();
    let follow = async move {
        let _place = place;
        let mut seen = pulses.borrow().of(&operator);
        let mut alive = interval(ALIVE);
        alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        alive.tick().await;
        // Whoever begins to listen may have missed something since the page was made.
        let mut line = "event: changed\ndata: all\n\n".to_owned();
        loop {
            if !line.is_empty() && tell.send(std::mem::take(&mut line)).await.is_err() {
                return;
            }
            let quiet = tokio::select! {
                changed = pulses.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    false
                }
                _ = alive.tick() => true,
            };
            // As what they are now: a role can change while a page is open.
            let Some(operator) = house.operator(&login.operator, login.channel()) else { return };
            let now = pulses.borrow_and_update().of(&operator);
            let others = now.others(&seen);
            seen = now;
            if !others.is_empty() {
                line = format!("event: changed\ndata: {}\n\n", others.join(" "));
            } else if quiet {
                ": here\n\n".clone_into(&mut line);
                house.logins.sweep(|login| house.stands(login) != Some(false));
            }
        }
    };
    tokio::spawn(async move {
        tokio::select! {
            () = follow => {}
            () = over.cancelled() => {}
        }
    });
    answer(StatusCode::OK, "text/event-stream", Body::new(Lines(told)))
}

/// Lines as a body.
struct Lines(mpsc::Receiver<String>);

impl http_body::Body for Lines {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|line| line.map(|line| Ok(Frame::data(line.into()))))
    }
}
