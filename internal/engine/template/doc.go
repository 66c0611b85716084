// Package template writes projects from templates: the engine that needs no
// network, no model, no clock and no chance.
//
// A request is first read into a [spec], the few decisions that make a project,
// and every file is then a function of the spec alone. The spec is what the
// project's state keeps, so continuing a project means to read the old spec,
// change it, write the tree again and hand out the files that became different.
//
// vocabulary.txt says what words mean, and tables.txt what they mean where that
// depends on the place. A request is read once over them: each phrase has its
// meaning, other words are names where the sentence expects one, and what is left
// is not understood. A run succeeds only if everything is understood. What is the
// heart of a request and cannot be had is refused by name, with a request that
// works; a detail is left out, and told in the decision left_out and the README.
// A constraint outranks the prompt. A request that changes nothing is refused,
// since a bundle without a change would look like success.
//
// The prompt is not trusted. Of its words only identifiers made of a to z and
// digits, known words, numbers in a range and escaped names reach a file, and no
// path is ever made of anything but these identifiers. Nothing quotes the prompt.
//
// A deep merge takes nothing away, so the spec remembers the databases that a
// project once had. Files of other engines are never touched, and a project begun
// by another engine is refused.
package template
