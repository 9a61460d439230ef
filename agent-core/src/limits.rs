//! Every bound that a clause names, explained, in one place; only those of a server's listing are with the host's `upstream`.
//!
//! Is not: configuration. A host may choose a smaller value where a field says so, never a larger one.
//! Clauses: ID-1..4, CAT-2, CAT-4, SRCH-1, SRCH-2, SRCH-5, ACT-1..4, AUTH-5, AUTH-6, AUTH-8, GATE-1, GATE-2, GATE-6, BLT-3,
//! SES-4 (tokens, OAuth).

/// Bytes of a whole tool id (ID-1).
pub const ID_BYTES: usize = 192;
/// Bytes of an upstream's own tool name (ID-2).
pub const NAME_BYTES: usize = 128;
/// Bytes of an operator's alias for a server (ID-2).
pub const ALIAS_BYTES: usize = 32;
/// Bytes of the name a model sees: 64, the smallest limit of the providers, less the prefix that clients add (ID-3).
pub const WIRE_BYTES: usize = 47;
/// Bytes of a hostile string echoed back in an error, before escaping (ID-4).
pub const ECHO_BYTES: usize = 128;
/// Bytes of a descriptor as JSON (CAT-2).
pub const DESCRIPTOR_BYTES: usize = 1024;
/// Bytes of one raw definition (CAT-4).
pub const DEFINITION_BYTES: usize = 128 * 1024;
/// Bytes of a tool's description (CAT-4).
pub const DESCRIPTION_BYTES: usize = 16 * 1024;
/// Nesting of a definition, its schemas included (CAT-4).
pub const DEFINITION_DEPTH: usize = 32;
/// JSON nodes of a definition (CAT-4).
pub const DEFINITION_NODES: usize = 8192;
/// Tools of one source (CAT-4).
pub const TOOLS_PER_SOURCE: usize = 4096;
/// Tools of all sources together where the operator says nothing (CAT-4).
pub const TOOLS_TOTAL: usize = 100_000;
/// Tools of all sources together that an operator can say (CAT-4).
pub const TOOLS_TOTAL_MOST: usize = 1_000_000;
/// Bytes of a search query after trimming (SRCH-1).
pub const QUERY_BYTES: usize = 256;
/// Bytes of an operator's synonyms (SRCH-5).
pub const SYNONYM_BYTES: usize = 64 * 1024;
/// Lines of an operator's synonyms (SRCH-5).
pub const SYNONYM_LINES: usize = 2048;
/// Words on one side of a line of synonyms (SRCH-5).
pub const SYNONYM_WORDS: usize = 32;
/// Hits of one search page at the most (SRCH-1).
pub const HITS_MAX: usize = 16;
/// Hits of one search page where the asker names no limit (SRCH-1).
pub const HITS_DEFAULT: usize = 8;
/// Bytes of a search answer (SRCH-2).
pub const ANSWER_BYTES: usize = 8 * 1024;
/// Ids of one activation (ACT-1).
pub const IDS_PER_REQUEST: usize = 16;
/// Active tools of one session besides its presets (ACT-2).
pub const ACTIVE_MAX: usize = 40;
/// Names that a refusal lists as callable now (GATE-2).
pub const NAMES_IN_REFUSAL: usize = 16;
/// Bytes of a description shown of a tool that is not active (BLT-3).
pub const DETAIL_BYTES: usize = 400;
/// Enum values shown of a parameter of a tool that is not active (BLT-3).
pub const DETAIL_ENUM: usize = 8;
/// Bytes of input schemas that one activation's answer carries (ACT-3).
pub const SCHEMA_BUDGET_BYTES: usize = 16 * 1024;
/// Bytes of one call's arguments as JSON.
pub const ARGUMENT_BYTES: usize = 1024 * 1024;
/// Nesting of one call's arguments.
pub const ARGUMENT_DEPTH: usize = 64;
/// JSON nodes of one call's arguments.
pub const ARGUMENT_NODES: usize = 65_536;
/// How long a grant lasts at the most, in milliseconds: 12 h (ACT-4).
pub const GRANT_MS: u64 = 12 * 3600 * 1000;
/// How long a request waits for its answer, in milliseconds: 15 min (AUTH-5).
pub const REQUEST_MS: u64 = 15 * 60 * 1000;
/// Questions that one principal's sessions put to a person within [`ASKS_MS`] (AUTH-6).
pub const ASKS: usize = 10;
/// The time over which questions are counted, in milliseconds (AUTH-6).
pub const ASKS_MS: u64 = 60 * 1000;
/// Bytes of a question that is about no permission (AUTH-8).
pub const INQUIRY_BYTES: usize = 4096;
/// Choices of such a question (AUTH-8).
pub const CHOICES: usize = 32;
/// Bytes of one choice (AUTH-8).
pub const CHOICE_BYTES: usize = 256;
/// Names of such a question's context (AUTH-8).
pub const CONTEXT: usize = 16;
/// Bytes of such a name (AUTH-8).
pub const CONTEXT_NAME_BYTES: usize = 64;
/// Bytes of what stands under such a name (AUTH-8).
pub const CONTEXT_BYTES: usize = 512;
/// Bytes of an answer in free text (AUTH-8).
pub const REPLY_BYTES: usize = 4096;
/// Such questions that wait in one session at a time (AUTH-8).
pub const INQUIRIES: usize = 4;
/// Ended ones that a session remembers, so that whoever asked learns the answer (AUTH-8).
pub const INQUIRIES_ENDED: usize = 8;
/// How long an asker waits for a person before it is told `pending`, in milliseconds: 25 s (AUTH-5).
pub const WAIT_MS: u64 = 25 * 1000;
/// How long a person's no is remembered, in milliseconds: 24 h (AUTH-6).
pub const DENIAL_MS: u64 = 24 * 3600 * 1000;
/// Plans of one activation before it gives up against others who commit meanwhile (ACT-2).
pub const PLANS: usize = 8;
/// Ended requests that a session remembers, so that a waiting asker learns how its own ended.
pub const SETTLED: usize = 16;
/// Tools that a session remembers having held, so that a call to one of them is told why it is refused (GATE-2).
pub const FORMER: usize = 256;
/// Calls that one session runs at a time.
pub const RUNNING: usize = 32;
/// Tasks of one session that are kept, ended ones among them (UP-8).
pub const TASKS: usize = 64;
/// How long a task is followed at the most, in milliseconds: 1 h (UP-8).
pub const TASK_MS: u64 = 3600 * 1000;
/// How long a task is kept after that, so that its end can be read, in milliseconds: 5 min (UP-8).
pub const TASK_KEPT_MS: u64 = 5 * 60 * 1000;
/// Bytes of the results of a session's ended tasks that are kept; the newest is kept in any case (UP-8).
pub const TASK_BYTES: usize = 8 * 1024 * 1024;
/// Bearer tokens that stand at one time (SES-4).
pub const TOKENS: usize = 1024;
/// How long a bearer token stands at the most where it has an end, in milliseconds: 3650 days (SES-4).
pub const TOKEN_MS: u64 = 3650 * 24 * 3600 * 1000;
/// Bytes of an access token that an issuer made (SES-4).
pub const JWT_BYTES: usize = 16 * 1024;
/// Accepted access tokens that are remembered (SES-4).
pub const JWT_ACCEPTED: usize = 4096;
/// Bytes of an issuer's metadata, and of its keys (SES-4).
pub const JWKS_BYTES: usize = 256 * 1024;
/// How long an issuer has to say its keys, in milliseconds: 5 s (SES-4).
pub const JWKS_FETCH_MS: u64 = 5 * 1000;
/// How long an issuer's keys are used before they are asked for again, in milliseconds: 10 min (SES-4).
pub const JWKS_FRESH_MS: u64 = 10 * 60 * 1000;
/// How long keys are used whose issuer can't be asked, in milliseconds: 24 h (SES-4).
pub const JWKS_KEPT_MS: u64 = 24 * 3600 * 1000;
/// Between two questions for an issuer's keys, in milliseconds: 30 s (SES-4).
pub const JWKS_PAUSE_MS: u64 = 30 * 1000;
/// Between a question for an issuer's keys that failed and the next, in milliseconds: 5 s (SES-4).
pub const JWKS_RETRY_MS: u64 = 5 * 1000;
/// By how much an issuer's clock and ours may differ, in seconds (SES-4).
pub const JWT_LEEWAY_S: u64 = 60;
