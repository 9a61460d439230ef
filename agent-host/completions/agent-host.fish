# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_agent_host_global_optspecs
    string join \n config= state= profile= at= as-operator= ca= h/help V/version
end

function __fish_agent_host_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_agent_host_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_agent_host_using_subcommand
    set -l cmd (__fish_agent_host_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c agent-host -n "__fish_agent_host_needs_command" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_needs_command" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_needs_command" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_needs_command" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_needs_command" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_needs_command" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_needs_command" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_needs_command" -s V -l version -d 'Print version'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "demo" -d 'See it work: one conversation on sample servers, with you as the person who is asked'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "serve" -d 'Serve one MCP client over standard input and output, by the user\'s one host, which is started if none runs'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "run" -d 'Be the host of every client of this user'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "init" -d 'Take over the servers that other MCP clients on this machine have'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "doctor" -d 'Say what is well, what is not and what to do: the boundary, files, the host, its servers'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "sync" -d 'Ask the servers what they have, and write it to the lock file'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "diff" -d 'Show what moved since it was accepted'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "accept" -d 'Accept what tools are now, after it was shown'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "servers" -d 'List the servers, starting none'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "tools" -d 'List the tools: what they can change, and whether they are accepted'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "tool" -d 'Show everything about one tool, its whole definition included'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "search" -d 'Search as a model does, over everything that is served'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "policy" -d 'Show the rules, say which one decides and why, or run expected decisions'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "config" -d 'Print every value in effect and where it came from'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "add" -d 'Add a server to the configuration: `add NAME [options] -- COMMAND [ARG]...`'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "remove" -d 'Remove a server from the configuration'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "enable" -d 'Serve a server\'s tools again'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "disable" -d 'Keep a server in the configuration, and neither start nor serve it'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "login" -d 'Log in at a server behind a URL, with a browser'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "logout" -d 'Forget a login at a server'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "audit" -d 'Read the records, also beside a running host'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "sessions" -d 'List the sessions and what they hold'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "session" -d 'Show everything of one session'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "approvals" -d 'Show what waits for a person'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "approve" -d 'Say yes to a request, once it was shown and asked about'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "deny" -d 'Say no to a request, once it was shown and asked about'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "questions" -d 'Show what servers ask of a person'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "reply" -d 'Answer a question of a server. It activates nothing'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "denials" -d 'What a person said no to'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "standing" -d 'What a person said always to'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "why" -d 'Say why a session can or can\'t call a tool'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "passphrase" -d 'The passphrase that makes an answer strong'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "console" -d 'Say where the operator\'s pages are'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "revoke" -d 'Take tools back: one of a session or of all, or all of a session, a principal or a server'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "end" -d 'End a session under its client, with all that it holds'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "token" -d 'The tokens by which clients say over HTTP whose they are'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "stop" -d 'Stop every activation and call, also over restarts'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "resume" -d 'Lift the stop'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "reload" -d 'Make the running host read its configuration and policy again: whole, or not at all'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "sample-server" -d 'Be a small MCP server to try things with, over standard input and output: clock, files, notes or text'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "completions" -d 'Print what a shell needs to complete this command line'
complete -c agent-host -n "__fish_agent_host_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand demo" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand demo" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand demo" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand demo" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand demo" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand demo" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand demo" -l yes -d 'Say yes in the person\'s place, where nobody sits at a terminal'
complete -c agent-host -n "__fish_agent_host_using_subcommand demo" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -l principal -d 'Whom sessions belong to, in place of `local:<uid>`' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -l session -d 'What to call the one conversation that this process serves; approval questions show it' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -l standalone -d 'Run everything in this process, for this client alone'
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -l trust-here -d 'Serve although the configuration or the state lies in the folder that the client works in'
complete -c agent-host -n "__fish_agent_host_using_subcommand serve" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand run" -l linger -d 'End once there was no client for so long, such as `60s`' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand run" -l http -d 'Take clients over HTTP too, at an address such as `127.0.0.1:8750`' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand run" -l console -d 'Serve the operator\'s pages, at an address such as `127.0.0.1:8751`, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand run" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand run" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand run" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand run" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand run" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand run" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand run" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l from -d 'Only what this client has: claude-desktop, claude-code, cursor, vscode or codex' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l file -d 'Only what this file has. One that is not your own by its place is asked about server by server' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l as -d 'The name that a server gets, in place of the one proposed' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l yes -d 'Do not ask: take your own servers, and no project\'s'
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l dry-run -d 'Show what would be written, and write nothing'
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -l no-sync -d 'Do not start what was taken over to list its tools'
complete -c agent-host -n "__fish_agent_host_using_subcommand init" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand doctor" -l client -d 'The user that the model\'s client runs as, by name or number, in place of your own' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand doctor" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand doctor" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand doctor" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand doctor" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand doctor" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand doctor" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand doctor" -l start -d 'Start each server too, list what it has, and stop it'
complete -c agent-host -n "__fish_agent_host_using_subcommand doctor" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand sync" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand sync" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand sync" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand sync" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand sync" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand sync" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand sync" -l check -d 'Change nothing; end with exit code 6 where the lock file is not what the servers say now'
complete -c agent-host -n "__fish_agent_host_using_subcommand sync" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand diff" -l server -d 'The tools of one server' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand diff" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand diff" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand diff" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand diff" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand diff" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand diff" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand diff" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand diff" -l exit-code -d 'End with exit code 6 where a tool moved, or its server does not have it any more'
complete -c agent-host -n "__fish_agent_host_using_subcommand diff" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand accept" -l server -d 'Every tool of one server, new ones included' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand accept" -l expect -d 'Accept one tool only if this is the digest of its definition' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand accept" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand accept" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand accept" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand accept" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand accept" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand accept" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand accept" -l yes -d 'Do not ask. What is accepted is printed all the same'
complete -c agent-host -n "__fish_agent_host_using_subcommand accept" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand servers" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand servers" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand servers" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand servers" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand servers" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand servers" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand servers" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand servers" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand tools" -l server -d 'Only those of one server' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand tools" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand tools" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand tools" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand tools" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand tools" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand tools" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand tools" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand tools" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand tool" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand tool" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand tool" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand tool" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand tool" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand tool" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand tool" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand tool" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -l server -d 'Only tools of one server' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -l limit -d 'How many at the most, 1 to 16' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -l explain -d 'Say why each is found: which word stands where, and what it adds'
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -l json -d 'One JSON document, reasons included'
complete -c agent-host -n "__fish_agent_host_using_subcommand search" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -f -a "show" -d 'List the rules in order, and how many tools of the lock file each decides on. This is what `policy` alone does'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -f -a "explain" -d 'Say which rule decides on a tool for a principal, and why; `--profile` says under which profile'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -f -a "test" -d 'Compare what the policy decides with what a file expects'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and not __fish_seen_subcommand_from show explain test help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from show" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from show" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from show" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from show" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from show" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from show" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from show" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from explain" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from explain" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from explain" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from explain" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from explain" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from explain" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from explain" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from explain" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from test" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from test" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from test" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from test" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from test" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from test" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from test" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from help" -f -a "show" -d 'List the rules in order, and how many tools of the lock file each decides on. This is what `policy` alone does'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from help" -f -a "explain" -d 'Say which rule decides on a tool for a principal, and why; `--profile` says under which profile'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from help" -f -a "test" -d 'Compare what the policy decides with what a file expects'
complete -c agent-host -n "__fish_agent_host_using_subcommand policy; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand config" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand config" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand config" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand config" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand config" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand config" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand config" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand config" -l schema -d 'Print the JSON Schema of the file instead'
complete -c agent-host -n "__fish_agent_host_using_subcommand config" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -s e -l env -d 'A variable of its environment, kept in the file' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l env-file -d 'A variable whose value is kept in a file of its own' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l cwd -d 'The folder it runs in; left out, the configuration\'s own' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l url -d 'Where it is reached over HTTP, in place of a program' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l header -d 'A header that is sent with each request to its URL, kept in the file' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l header-file -d 'A header whose value is kept in a file of its own' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l era -d 'Which era of MCP is spoken with it' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l private -d 'Its URL may lead to this machine or a private network'
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l trust -d 'Its annotations may narrow what is assumed of its tools'
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l shared -d 'One process serves every principal'
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -l prewarm -d 'It is started when a tool of it is activated'
complete -c agent-host -n "__fish_agent_host_using_subcommand add" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand remove" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand remove" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand remove" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand remove" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand remove" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand remove" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand remove" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand enable" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand enable" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand enable" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand enable" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand enable" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand enable" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand enable" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand disable" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand disable" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand disable" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand disable" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand disable" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand disable" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand disable" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand login" -l principal -d 'Whose login it is, where the server has `identity = "per-principal"`, in place of the operator\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand login" -l scope -d 'Ask for this, too, besides what the login has had; may be given more than once' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand login" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand login" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand login" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand login" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand login" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand login" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand login" -l no-browser -d 'Print the page\'s address and open no browser'
complete -c agent-host -n "__fish_agent_host_using_subcommand login" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand logout" -l principal -d 'Whose login it is, where the server has `identity = "per-principal"`, in place of the operator\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand logout" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand logout" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand logout" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand logout" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand logout" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand logout" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand logout" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and not __fish_seen_subcommand_from show verify help" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and not __fish_seen_subcommand_from show verify help" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and not __fish_seen_subcommand_from show verify help" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and not __fish_seen_subcommand_from show verify help" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and not __fish_seen_subcommand_from show verify help" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and not __fish_seen_subcommand_from show verify help" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and not __fish_seen_subcommand_from show verify help" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and not __fish_seen_subcommand_from show verify help" -f -a "show" -d 'Show records, oldest first'
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and not __fish_seen_subcommand_from show verify help" -f -a "verify" -d 'Read the whole chain and compare it with the state kept'
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and not __fish_seen_subcommand_from show verify help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from show" -l session -d 'Only those of one session' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from show" -l last -d 'Only the last so many' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from show" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from show" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from show" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from show" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from show" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from show" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from show" -l json -d 'One JSON object a line'
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from verify" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from verify" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from verify" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from verify" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from verify" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from verify" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show records, oldest first'
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "verify" -d 'Read the whole chain and compare it with the state kept'
complete -c agent-host -n "__fish_agent_host_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand sessions" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand sessions" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand sessions" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand sessions" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand sessions" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand sessions" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand sessions" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand sessions" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand session" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand session" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand session" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand session" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand session" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand session" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand session" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand session" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand approvals" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand approvals" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand approvals" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand approvals" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand approvals" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand approvals" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand approvals" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand approvals" -l watch -d 'Ask about each request as it comes, at this terminal, until Ctrl-C'
complete -c agent-host -n "__fish_agent_host_using_subcommand approvals" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l expect -d 'Only if this is the digest of what it asks for, as `approvals` shows it' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l yes -d 'Do not ask'
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l strong -d 'Ask for the passphrase, which makes the answer strong'
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l once -d 'For one call of each tool'
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -l always -d 'Also for every later request for these exact definitions; `standing` lists and revokes it'
complete -c agent-host -n "__fish_agent_host_using_subcommand approve" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand deny" -l expect -d 'Only if this is the digest of what it asks for, as `approvals` shows it' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand deny" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand deny" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand deny" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand deny" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand deny" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand deny" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand deny" -l yes -d 'Do not ask'
complete -c agent-host -n "__fish_agent_host_using_subcommand deny" -l strong -d 'Ask for the passphrase, which makes the answer strong'
complete -c agent-host -n "__fish_agent_host_using_subcommand deny" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand questions" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand questions" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand questions" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand questions" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand questions" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand questions" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand questions" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand questions" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand reply" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand reply" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand reply" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand reply" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand reply" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand reply" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand reply" -l decline -d 'Say that nobody answers it'
complete -c agent-host -n "__fish_agent_host_using_subcommand reply" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and not __fish_seen_subcommand_from list clear help" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and not __fish_seen_subcommand_from list clear help" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and not __fish_seen_subcommand_from list clear help" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and not __fish_seen_subcommand_from list clear help" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and not __fish_seen_subcommand_from list clear help" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and not __fish_seen_subcommand_from list clear help" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and not __fish_seen_subcommand_from list clear help" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and not __fish_seen_subcommand_from list clear help" -f -a "list" -d 'List them: whose requests they refuse, for which definition, and until when'
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and not __fish_seen_subcommand_from list clear help" -f -a "clear" -d 'Forget what a principal was denied, so that a person can be asked again'
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and not __fish_seen_subcommand_from list clear help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from list" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from list" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from list" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from list" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from list" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from list" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from list" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from clear" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from clear" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from clear" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from clear" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from clear" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from clear" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from clear" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from help" -f -a "list" -d 'List them: whose requests they refuse, for which definition, and until when'
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from help" -f -a "clear" -d 'Forget what a principal was denied, so that a person can be asked again'
complete -c agent-host -n "__fish_agent_host_using_subcommand denials; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and not __fish_seen_subcommand_from list revoke help" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and not __fish_seen_subcommand_from list revoke help" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and not __fish_seen_subcommand_from list revoke help" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and not __fish_seen_subcommand_from list revoke help" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and not __fish_seen_subcommand_from list revoke help" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and not __fish_seen_subcommand_from list revoke help" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and not __fish_seen_subcommand_from list revoke help" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and not __fish_seen_subcommand_from list revoke help" -f -a "list" -d 'List them: for whom, for which definition, since when and by whose word'
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and not __fish_seen_subcommand_from list revoke help" -f -a "revoke" -d 'Take one back, or all of a principal: a person is asked again. What sessions hold by then they keep'
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and not __fish_seen_subcommand_from list revoke help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from list" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from list" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from list" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from list" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from list" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from list" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from list" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from revoke" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from revoke" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from revoke" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from revoke" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from revoke" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from revoke" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from revoke" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from help" -f -a "list" -d 'List them: for whom, for which definition, since when and by whose word'
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from help" -f -a "revoke" -d 'Take one back, or all of a principal: a person is asked again. What sessions hold by then they keep'
complete -c agent-host -n "__fish_agent_host_using_subcommand standing; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand why" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand why" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand why" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand why" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand why" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand why" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand why" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand why" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and not __fish_seen_subcommand_from set help" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and not __fish_seen_subcommand_from set help" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and not __fish_seen_subcommand_from set help" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and not __fish_seen_subcommand_from set help" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and not __fish_seen_subcommand_from set help" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and not __fish_seen_subcommand_from set help" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and not __fish_seen_subcommand_from set help" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and not __fish_seen_subcommand_from set help" -f -a "set" -d 'Choose it, at this terminal. It is kept as a hash in the state folder'
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and not __fish_seen_subcommand_from set help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and __fish_seen_subcommand_from set" -l operator -d 'Whose, where the configuration names operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and __fish_seen_subcommand_from set" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and __fish_seen_subcommand_from set" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and __fish_seen_subcommand_from set" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and __fish_seen_subcommand_from set" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and __fish_seen_subcommand_from set" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and __fish_seen_subcommand_from set" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and __fish_seen_subcommand_from help" -f -a "set" -d 'Choose it, at this terminal. It is kept as a hash in the state folder'
complete -c agent-host -n "__fish_agent_host_using_subcommand passphrase; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand console" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand console" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand console" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand console" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand console" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand console" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand console" -l open -d 'Open it in a browser, too'
complete -c agent-host -n "__fish_agent_host_using_subcommand console" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l everywhere -d 'One tool, of every session' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l session -d 'Everything of one session, presets too' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l principal -d 'Everything of every session of a principal, presets too' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l server -d 'Every tool of one server, of every session, presets too' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l running -d 'What becomes of calls that run' -r -f -a "leave\t'They run on; a result that comes late is marked'
cancel\t'They are given up. What they did until then is done'"
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand revoke" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c agent-host -n "__fish_agent_host_using_subcommand end" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand end" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand end" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand end" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand end" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand end" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand end" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand end" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "create" -d 'Make a token and print it, once. `--profile` is the profile of what its bearer does'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "list" -d 'List the tokens that stand'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "revoke" -d 'Take a token back. What was opened by it ends'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l principal -d 'Whom its bearer is taken for' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l ttl -d 'How long it stands, such as `30m`, `12h` or `30d`, or `never`' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l note -d 'What it is for, to know it again in the list' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l url -d 'Let it stand in a URL (`/s/TOKEN/mcp`), for a client that can set nothing else. Others may see a URL'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -l json -d 'One JSON document, with the token in it'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from list" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from list" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from list" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from list" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from list" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from list" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from list" -l json -d 'One JSON document'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from revoke" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from revoke" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from revoke" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from revoke" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from revoke" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from revoke" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from revoke" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "create" -d 'Make a token and print it, once. `--profile` is the profile of what its bearer does'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the tokens that stand'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "revoke" -d 'Take a token back. What was opened by it ends'
complete -c agent-host -n "__fish_agent_host_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand stop" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand stop" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand stop" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand stop" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand stop" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand stop" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand stop" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand resume" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand resume" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand resume" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand resume" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand resume" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand resume" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand resume" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand reload" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand reload" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand reload" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand reload" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand reload" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand reload" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand reload" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand sample-server" -l folder -d 'The folder that files and notes work in; they touch nothing outside of it' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand sample-server" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand sample-server" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand sample-server" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand sample-server" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand sample-server" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand sample-server" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand sample-server" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand completions" -l config -d 'The configuration, in place of `AGENT_HOST_CONFIG` or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand completions" -l state -d 'The state folder, in place of the configuration\'s or the platform\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand completions" -l profile -d 'The profile, in place of the configuration\'s' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand completions" -l at -d 'Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand completions" -l as-operator -d 'Whom to log in there as, where the host has several operators' -r
complete -c agent-host -n "__fish_agent_host_using_subcommand completions" -l ca -d 'The PEM file of who vouches for that host\'s certificate, in place of the system\'s' -r -F
complete -c agent-host -n "__fish_agent_host_using_subcommand completions" -s h -l help -d 'Print help'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "demo" -d 'See it work: one conversation on sample servers, with you as the person who is asked'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "serve" -d 'Serve one MCP client over standard input and output, by the user\'s one host, which is started if none runs'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "run" -d 'Be the host of every client of this user'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "init" -d 'Take over the servers that other MCP clients on this machine have'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "doctor" -d 'Say what is well, what is not and what to do: the boundary, files, the host, its servers'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "sync" -d 'Ask the servers what they have, and write it to the lock file'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "diff" -d 'Show what moved since it was accepted'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "accept" -d 'Accept what tools are now, after it was shown'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "servers" -d 'List the servers, starting none'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "tools" -d 'List the tools: what they can change, and whether they are accepted'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "tool" -d 'Show everything about one tool, its whole definition included'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "search" -d 'Search as a model does, over everything that is served'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "policy" -d 'Show the rules, say which one decides and why, or run expected decisions'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "config" -d 'Print every value in effect and where it came from'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "add" -d 'Add a server to the configuration: `add NAME [options] -- COMMAND [ARG]...`'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "remove" -d 'Remove a server from the configuration'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "enable" -d 'Serve a server\'s tools again'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "disable" -d 'Keep a server in the configuration, and neither start nor serve it'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "login" -d 'Log in at a server behind a URL, with a browser'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "logout" -d 'Forget a login at a server'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "audit" -d 'Read the records, also beside a running host'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "sessions" -d 'List the sessions and what they hold'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "session" -d 'Show everything of one session'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "approvals" -d 'Show what waits for a person'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "approve" -d 'Say yes to a request, once it was shown and asked about'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "deny" -d 'Say no to a request, once it was shown and asked about'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "questions" -d 'Show what servers ask of a person'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "reply" -d 'Answer a question of a server. It activates nothing'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "denials" -d 'What a person said no to'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "standing" -d 'What a person said always to'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "why" -d 'Say why a session can or can\'t call a tool'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "passphrase" -d 'The passphrase that makes an answer strong'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "console" -d 'Say where the operator\'s pages are'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "revoke" -d 'Take tools back: one of a session or of all, or all of a session, a principal or a server'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "end" -d 'End a session under its client, with all that it holds'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "token" -d 'The tokens by which clients say over HTTP whose they are'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "stop" -d 'Stop every activation and call, also over restarts'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "resume" -d 'Lift the stop'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "reload" -d 'Make the running host read its configuration and policy again: whole, or not at all'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "sample-server" -d 'Be a small MCP server to try things with, over standard input and output: clock, files, notes or text'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "completions" -d 'Print what a shell needs to complete this command line'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and not __fish_seen_subcommand_from demo serve run init doctor sync diff accept servers tools tool search policy config add remove enable disable login logout audit sessions session approvals approve deny questions reply denials standing why passphrase console revoke end token stop resume reload sample-server completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from policy" -f -a "show" -d 'List the rules in order, and how many tools of the lock file each decides on. This is what `policy` alone does'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from policy" -f -a "explain" -d 'Say which rule decides on a tool for a principal, and why; `--profile` says under which profile'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from policy" -f -a "test" -d 'Compare what the policy decides with what a file expects'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "show" -d 'Show records, oldest first'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "verify" -d 'Read the whole chain and compare it with the state kept'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from denials" -f -a "list" -d 'List them: whose requests they refuse, for which definition, and until when'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from denials" -f -a "clear" -d 'Forget what a principal was denied, so that a person can be asked again'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from standing" -f -a "list" -d 'List them: for whom, for which definition, since when and by whose word'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from standing" -f -a "revoke" -d 'Take one back, or all of a principal: a person is asked again. What sessions hold by then they keep'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from passphrase" -f -a "set" -d 'Choose it, at this terminal. It is kept as a hash in the state folder'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from token" -f -a "create" -d 'Make a token and print it, once. `--profile` is the profile of what its bearer does'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from token" -f -a "list" -d 'List the tokens that stand'
complete -c agent-host -n "__fish_agent_host_using_subcommand help; and __fish_seen_subcommand_from token" -f -a "revoke" -d 'Take a token back. What was opened by it ends'
