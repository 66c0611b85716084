// Package mcp serves a folder and the bundle delivery service to coding agents, by the
// Model Context Protocol.
//
// An agent may err, and may be talked into something by what it reads: the text of a
// bundle is written by somebody else. So the server holds these invariants whatever it
// is asked:
//
//   - What changes the folder, or the project at the service, needs the digest of a
//     preview. It is worked out anew and compared, under the folder's lock where
//     there is one: the agent carries out exactly what it showed, or nothing.
//   - Nothing outside the folder that the server was started in is changed but the
//     client's own records in ~/.svc. A bundle with files for the home folder is for
//     a person to pull.
//   - A bundle that touches files that may run programs or steer agents is flagged
//     (agentfiles.go), and pulled only if the person who started the server allowed
//     it, or if pull names each of these files. The server cannot know who chose the
//     names; docs/agents.md says what that means.
//   - No API key is in any answer (text.go).
//   - What others wrote is told as data in JSON, with what cannot be seen made visible.
//
// What the tools do is done by the packages that the commands of svc use: workdir,
// workdir/pull, workdir/generate and client.
package mcp
