//! Every page made from values whose every foreign text is hostile, and a reader of tags that knows no mercy.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::super::*;
use crate::admin::{
    Boundary, CatalogPage, Counts, Found, Hit, Listed, Numbers, Over, PolicyPage, Reason, RecordPage, Records, RefusedTool, Remembered,
    RuleRow, Served, Session, SessionPage, Span, Standing, Stands, ToolRow, Whole, WholeTool,
};
use crate::upstream::Health;
use agent_core::definition::Definition;
use agent_core::descriptor::Descriptor;
use agent_core::digest::{Digest, Domain};
use agent_core::effect::{Acts, Capability, Declared, Effect};
use agent_core::grant::{Gone, GrantRecord};
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::inquiry::{Answerer, Inquiry, Reply, Wording};
use agent_core::request::{Asked, Channel, Covers, Decider, Novelty, Question, Strength};
use agent_core::session::{Asker, Bound, CallId, PrincipalId, RequestId, SessionId, TokenId};
use agent_core::state::{Held, StandingApproval};
use agent_core::time::Instant;
use agent_core::token::{Token, TokenRecord};
use agent_core::transition::{Record, Stream, Transition, Version};
use agent_engine::catalog::diff::moved;
use agent_engine::policy::{Profile, Rule, Verdict};
use std::time::Duration;

/// Markup, a script, a way out of an attribute, an override of direction, an escape, a tag character.
const EVIL: &str = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\" onmouseover=\"x' --> \u{202e}\u{1b}[2J\u{e0041}&lt;";
/// The same without what a name of the operator's can't hold.
const NAME: &str = "<img src=x onerror=alert(1)>\" onmouseover=\"x'";
const NOW: Instant = Instant { wall: 1_800_000_000_000, boot: 1, boot_id: 1 };

fn tool_id(name: &str) -> ToolId {
    ToolId::parse(&format!("mcp:shop/{name}")).unwrap()
}

fn bound(name: &str) -> Bound {
    Bound { id: tool_id(name), digest: Digest::of(Domain::Definition, name.as_bytes()) }
}

fn asker() -> Asker {
    Asker { session: SessionId::new(7), principal: PrincipalId::parse(NAME).unwrap(), profile: Some(NAME.to_owned().try_into().unwrap()) }
}

pub(super) fn question() -> Question {
    let asked = |name: &str, novelty| Asked {
        bound: bound(name),
        effect: Effect::Destructive,
        capabilities: [Capability::ExternalSend].into(),
        novelty,
        acts: Some(Acts::Operator),
        flagged: true,
        names: vec![bound(name).id],
        says: EVIL.to_owned(),
        ttl: None,
        max_calls: None,
    };
    Question {
        id: RequestId::new(9),
        asker: asker(),
        covers: Covers::Process,
        what: vec![asked("buy", Novelty::New), asked("sell", Novelty::Known)],
        strong: true,
        asked: NOW,
        expires: NOW.after(900_000),
    }
}

fn inquiry() -> Inquiry {
    let context = [("server".to_owned(), EVIL.to_owned()), (EVIL.to_owned(), EVIL.to_owned())].into();
    // No choice holds what can't be seen: `Wording::new` refuses it, for a button sends the choice as it is.
    let wording = Wording { text: EVIL.to_owned(), choices: vec![visible(EVIL), "b".to_owned()], context };
    Inquiry { index: 3, asker: asker(), wording, asked: NOW, expires: NOW.after(900_000) }
}

fn person() -> Decider {
    Decider::Person { name: EVIL.to_owned(), channel: Channel::Console, strength: Strength::Strong }
}

fn whole() -> Whole {
    let grant = |name: &str| GrantRecord {
        bound: bound(name),
        request: RequestId::new(9),
        by: person(),
        end: None,
        max_calls: Some(3),
        preset: true,
    };
    let held = Held { grant: std::sync::Arc::new(grant("buy")), used: 1, suspended: Some(agent_core::grant::Suspended::Policy) };
    let session = Session {
        asker: asker(),
        active: vec![held],
        waiting: Some(question()),
        running: vec![CallId::new(1)],
        last: Some(NOW),
        ended: false,
        client: Some(EVIL.to_owned()),
    };
    Whole {
        session,
        ended: false,
        set: 3,
        former: [(tool_id("old"), Gone::Revoked)].into(),
        denied: vec![bound("sell")],
        settled: Vec::new(),
        calls: [(CallId::new(1), bound("buy"))].into(),
    }
}

fn records() -> RecordPage {
    let by = || EVIL.to_owned();
    let kinds = [
        Transition::Opened { asker: asker(), key: None, credential: None },
        Transition::Requested { question: Box::new(question()) },
        Transition::Refused { code: "schema".to_owned(), about: EVIL.to_owned(), count: 3 },
        Transition::Revoked { ids: vec![tool_id("buy")], by: by() },
        Transition::Closed { by: by() },
        Transition::DenialsCleared { tool: None, by: by() },
        Transition::Resumed { by: by() },
        Transition::Stopped { by: by(), since: None },
        Transition::Answered { request: RequestId::new(9), denied: vec![bound("buy")], by: person() },
        Transition::Inquired { inquiry: Box::new(inquiry()) },
        Transition::Replied {
            index: 3,
            reply: Reply::Said(EVIL.to_owned()),
            by: Answerer { name: EVIL.to_owned(), channel: Channel::Console, strength: Strength::Weak },
        },
        Transition::Pinned { bounds: vec![bound("buy")] },
        Transition::Ended { call: CallId::new(1), end: agent_core::outcome::End::Refused },
    ];
    let hash = Digest::of(Domain::Record, b"x");
    let record =
        |(seq, what)| Record { seq, stream: Stream::Session(SessionId::new(7)), version: Version(1), at: NOW, what, prev: hash, hash };
    RecordPage { records: (1..).zip(kinds).map(record).collect(), broken: vec![EVIL.to_owned()], next: Some(5), stopped: Some(5) }
}

fn whole_tool() -> WholeTool {
    let text = |description: &str| {
        serde_json::json!({
            "name": "buy", "title": EVIL, "description": description, "icons": [{"src": "javascript:alert(1)"}, {"src": "data:image/svg+xml,<svg onload=x>"}],
            "inputSchema": {"type": "object", "properties": {EVIL: {"type": "string", "description": EVIL, "enum": [EVIL]}}}
        })
        .to_string()
    };
    let (old, new) = (text("harmless"), text(EVIL));
    let definition = Definition::parse(&new).unwrap();
    let mut descriptor =
        Descriptor::new(SourceClass::Mcp, &Alias::parse("shop").unwrap(), &definition, &Declared::default(), &[EVIL.to_owned()]).unwrap();
    descriptor.summary = EVIL.to_owned();
    descriptor.flagged = true;
    WholeTool {
        accepted: Some(Digest::of(Domain::Definition, b"old")),
        descriptor,
        state: Standing::Changed,
        notes: vec![EVIL.to_owned()],
        moved: moved(&old, &new).ok(),
        definition: new,
    }
}

fn catalog() -> CatalogPage {
    let row = |state| ToolRow { id: tool_id("buy"), effect: "destructive".to_owned(), state, summary: EVIL.to_owned() };
    CatalogPage {
        generation: 1,
        digest: Digest::of(Domain::Catalog, b"c"),
        tools: 2,
        servers: served(),
        rows: vec![row(Standing::New), row(Standing::Changed)],
        next: Some(tool_id("buy")),
        refused: vec![RefusedTool { server: Alias::parse("shop").unwrap(), name: EVIL.to_owned(), why: EVIL.to_owned() }],
        changed: vec![tool_id("buy")],
    }
}

fn served() -> std::collections::BTreeMap<Alias, Served> {
    [(Alias::parse("shop").unwrap(), Served { description: EVIL.to_owned(), tools: 2, refused: 1 })].into()
}

fn found() -> Found {
    let term = || Reason {
        term: EVIL.to_owned(),
        role: "synonym".to_owned(),
        words: vec![EVIL.to_owned()],
        points: 7,
        fields: vec![("name".to_owned(), 7)],
    };
    let hit = Hit {
        id: "mcp:shop/buy".to_owned(),
        effect: "mutating".to_owned(),
        state: Standing::New,
        tier: "words".to_owned(),
        score: 10,
        meaning: 1,
        coverage: 1,
        server: 1,
        moved: true,
        clause: 1,
        terms: vec![term()],
        summary: EVIL.to_owned(),
    };
    Found { hits: vec![hit], truncated: true, confidence: 200, low_confidence: true, unmatched: vec![EVIL.to_owned()] }
}

fn policy() -> PolicyPage {
    let rule: Rule = serde_json::from_value(
        serde_json::json!({"tools": [format!("mcp:{NAME}")], "principal": NAME, "decision": "prompt", "strength": "strong"}),
    )
    .unwrap();
    PolicyPage {
        activation: Verdict::Prompt,
        digest: Digest::of(Domain::Policy, b"p"),
        rules: vec![RuleRow { rule: Some(rule), decides: 1 }, RuleRow { rule: None, decides: 0 }],
        otherwise: 1,
        tools: 2,
        profiles: [(NAME.to_owned(), Profile { tools: None, presets: vec![tool_id("buy")] })].into(),
    }
}

fn stands() -> Stands {
    let given = StandingApproval { digest: bound("buy").digest, by: person(), at: NOW };
    Stands { principal: asker().principal, tool: tool_id("buy"), given }
}

fn remembered() -> Remembered {
    Remembered { principal: asker().principal, bound: bound("sell"), until: NOW.after(60_000) }
}

fn token() -> TokenRecord {
    TokenRecord {
        id: TokenId::new(4),
        principal: asker().principal,
        profile: asker().profile,
        digest: Token::new(1, 2).digest(),
        url: true,
        note: Some(NAME.to_owned().try_into().unwrap()),
        made: NOW,
        until: None,
    }
}

fn health() -> std::collections::BTreeMap<Alias, Health> {
    let alias = |name: &str| Alias::parse(name).unwrap();
    [
        (alias("shop"), Health::Failed { why: EVIL.to_owned(), retry_in: Duration::from_secs(2) }),
        (alias("login"), Health::NeedsLogin { why: EVIL.to_owned(), command: Some(EVIL.to_owned()) }),
        (alias("fine"), Health::Running { processes: 1, calls: 2 }),
    ]
    .into()
}

/// Every page as an admin sees it.
pub(super) fn pages() -> Vec<(&'static str, String)> {
    pages_for(Role::Admin)
}

pub(super) fn pages_for(role: Role) -> Vec<(&'static str, String)> {
    let operator = Operator { name: EVIL.to_owned(), role, over: Over::All, channel: Channel::Console, strength: Strength::Weak };
    let frame = Frame {
        prefix: "/c/prefix",
        operator: &operator,
        csrf: "csrf-of-this-login",
        boundary: Boundary::SameUser,
        stopped: (role == Role::Admin).then_some(EVIL),
        waiting: 2,
    };
    let (now, whole, records, alias) = (NOW.wall + 60_000, whole(), records(), Alias::parse("shop").unwrap());
    let numbers = Numbers {
        waiting: 1,
        down: vec![alias.clone()],
        changed: 1,
        bytes: 100,
        tools: 1,
        width: 60_000,
        buckets: vec![Counts { opened: 1, calls: 9, errors: 2, ..Counts::default() }; 4],
        ..Numbers::default()
    };
    let filter = Listed { text: String::new(), ..Listed::default() };
    let list = SessionPage { sessions: vec![whole.session.clone()], fit: 1_000, all: 2_000 };
    let asked = Records { text: Some(NAME.to_owned()), kind: Some(NAME.to_owned()), ..Records::default() };
    let mains = [
        ("front", "/", front::overview(&frame, &numbers, Span::Day)),
        ("approvals", "/approvals", approvals::queue(&frame, &[question()], now)),
        ("request", "/approvals", approvals::one(&frame, Some(&question()), now)),
        ("gone", "/approvals", approvals::one(&frame, None, now)),
        ("questions", "/approvals", questions::queue(&frame, &[inquiry()], now)),
        ("question", "", questions::one(&frame, Some(&inquiry()), now)),
        ("sessions", "/sessions", sessions::all(&frame, &list, &filter, now)),
        ("session", "/sessions", session::one(&frame, Some(&whole), Some(&records), now)),
        ("catalog", "/catalog", catalog::list(&frame, &catalog(), NAME, Some(&alias), None)),
        ("search", "/catalog", catalog::list(&frame, &catalog(), NAME, None, Some(&Ok(found())))),
        ("tool", "/catalog", tool::one(&frame, Some(&whole_tool()))),
        (
            "remembered",
            remembered::PATH,
            remembered::lists(&frame, &remembered::Lists { always: &[stands()], noes: &[remembered()], always_from: 0, noes_from: 0 }, now),
        ),
        ("tokens", tokens::PATH, tokens::list(&frame, &[token()], 0, now)),
        ("servers", "/servers", servers::list(&frame, &health(), &served())),
        (
            "policy",
            "/policy",
            policy::rules(
                &frame,
                &policy(),
                &policy::Asked { principal: NAME, profile: NAME, tool: NAME, answer: Some(Err(EVIL.to_owned())) },
            ),
        ),
        ("audit", "/audit", audit::list(&frame, &asked, &records)),
    ];
    mains.into_iter().map(|(name, here, main)| (name, page(&frame, here, &visible(EVIL), &main).into_string())).collect()
}

/// One tag that opens.
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
}

/// The tags of a page, as a browser would find them: any `<` in text begins one.
pub(super) struct Markups {
    pub(super) tags: Vec<Tag>,
}

impl Markups {
    pub(super) fn read(html: &str) -> Self {
        let mut tags = Vec::new();
        let mut rest = html;
        while let Some((_, after)) = rest.split_once('<') {
            let (inside, next) = Self::inside(after);
            rest = next;
            if !inside.starts_with('/') && !inside.eq_ignore_ascii_case("!DOCTYPE html") {
                tags.push(Self::tag(inside));
            }
        }
        Self { tags }
    }

    /// Up to the `>` that ends the tag; one in quotes does not.
    fn inside(text: &str) -> (&str, &str) {
        let mut quote = None;
        for (at, character) in text.char_indices() {
            match (quote, character) {
                (None, '>') => return (&text[..at], &text[at + 1..]),
                (None, '"' | '\'') => quote = Some(character),
                (Some(open), character) if open == character => quote = None,
                _ => {}
            }
        }
        (text, "")
    }

    fn tag(inside: &str) -> Tag {
        let end = inside.find(char::is_whitespace).unwrap_or(inside.len());
        let (name, mut rest) = inside.split_at(end);
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                break;
            }
            let end = rest.find(|character: char| character.is_whitespace() || character == '=').unwrap_or(rest.len());
            let (key, after) = rest.split_at(end);
            let (value, after) = match after.strip_prefix("=\"") {
                Some(value) => value.split_once('"').unwrap_or((value, "")),
                None => ("", after),
            };
            attributes.push((key.to_owned(), value.to_owned()));
            rest = after;
        }
        Tag { name: name.to_ascii_lowercase(), attributes }
    }
}
