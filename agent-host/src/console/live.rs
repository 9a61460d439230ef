//! One stream for each page that is open: which parts of what it shows are others now.
//!
//! Is: names, never data; a page that wants more asks for it. It ends with its login. Is not: a use of the login. Changes are
//! looked for every 150 ms, and told together. Clause: AUTH-4 (console, login). Source: HTML (server-sent events).

use super::house::House;
use super::routes::{answer, text, visitor};
use crate::admin::{Operator, Request as Ask, Response as Told, handle};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use http_body::Frame;
use std::collections::hash_map::DefaultHasher;
use std::convert::Infallible;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(150);
/// Looks between two signs of life, which also find out that nobody reads any more, and that the login is over.
const ALIVE: u32 = 20;
/// Streams at a time.
const STREAMS: usize = 64;

static OPEN: tokio::sync::Semaphore = tokio::sync::Semaphore::const_new(STREAMS);

/// What a page can be behind in.
#[derive(Default, PartialEq, Eq)]
struct Seen {
    approvals: u64,
    sessions: u64,
    calls: u64,
    stop: u64,
}

impl Seen {
    async fn now(house: &House, operator: &Operator) -> Self {
        let Told::Sessions { sessions, stopped, .. } = handle(&house.office, operator, Ask::Sessions {}).await else {
            return Self::default();
        };
        let of = |parts: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            parts(&mut hasher);
            hasher.finish()
        };
        let id = |hasher: &mut DefaultHasher, text: &dyn std::fmt::Display| text.to_string().hash(hasher);
        Self {
            approvals: of(&|hasher| {
                sessions.iter().filter_map(|session| session.waiting.as_ref()).for_each(|question| id(hasher, &question.id));
            }),
            sessions: of(&|hasher| {
                for session in &sessions {
                    id(hasher, &session.asker.session);
                    for held in &session.active {
                        id(hasher, &held.grant.bound.digest);
                        held.suspended.is_some().hash(hasher);
                    }
                }
            }),
            calls: of(&|hasher| sessions.iter().flat_map(|session| &session.running).for_each(|call| id(hasher, call))),
            stop: of(&|hasher| stopped.as_ref().map(|stop| &stop.by).hash(hasher)),
        }
    }

    /// What is another than before.
    fn others(&self, before: &Self) -> Vec<&'static str> {
        let parts = [
            ("approvals", self.approvals != before.approvals),
            ("sessions", self.sessions != before.sessions),
            ("calls", self.calls != before.calls),
            ("stop", self.stop != before.stop),
        ];
        parts.into_iter().filter(|(_, other)| *other).map(|(name, _)| name).collect()
    }
}

/// The stream.
pub(super) async fn follow(State(house): State<Arc<House>>, request: Request) -> Response {
    let Some((operator, login)) = visitor(&house, request.headers(), request.method()) else {
        return text(StatusCode::UNAUTHORIZED, "nobody is logged in");
    };
    let Ok(place) = OPEN.try_acquire() else { return text(StatusCode::SERVICE_UNAVAILABLE, "as many pages are open as may be") };
    let (tell, told) = mpsc::channel(4);
    let over = login.over.clone();
    let follow = async move {
        let _place = place;
        let mut seen = Seen::now(&house, &operator).await;
        let mut every = interval(LOOK);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Whoever begins to listen may have missed something since the page was made.
        let mut line = "event: changed\ndata: all\n\n".to_owned();
        for look in 1_u32.. {
            if !line.is_empty() && tell.send(std::mem::take(&mut line)).await.is_err() {
                return;
            }
            every.tick().await;
            // As what they are now: a role can change while a page is open.
            let Some(operator) = house.operator(&login.operator, login.channel()) else { return };
            let now = Seen::now(&house, &operator).await;
            let others = now.others(&seen);
            seen = now;
            if !others.is_empty() {
                line = format!("event: changed\ndata: {}\n\n", others.join(" "));
            } else if look.is_multiple_of(ALIVE) {
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
