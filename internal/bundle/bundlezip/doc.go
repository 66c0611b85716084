// Package bundlezip writes, checks and reads bundle archives, and is the one
// place that knows their rules: which paths a project may hold, what a manifest
// says, how a project state becomes a ZIP, and what a ZIP must prove before
// anybody reads it.
//
// # Packs
//
// A project state is kept as a pack: the very ZIP that is delivered, files
// already deflated, described by its manifest.json. A bundle is therefore a
// byte-for-byte copy of its pack, and a new state is a new pack into which the
// unchanged files are copied without being inflated. Deflated bytes never pass
// through a compressor twice, so a newer compressor cannot change what an old
// state looks like.
//
// # Writing
//
// [Write] is a function from a [State] to bytes. Entries stand in the order of
// their names, manifest.json comes last (its digests are only known when every
// file has been read) and is stored uncompressed. Time stamps are 1 January
// 1980, attributes say "regular file" with mode 0644 or 0755, sizes and sums
// stand in the local headers. There are no extra fields, comments, descriptors,
// folders or ZIP64 records. Files are deflated; empty ones are stored. Memory
// does not grow with the project.
//
// A file's entry bears the file's path. Files that cannot (a project's own
// manifest.json, and those meant for the home folder) are filed under a folder
// that no path of the project uses, and the manifest names the entry.
//
// # Reading
//
// [Open] reads packs that the server wrote itself; it believes the contents and
// accepts nothing but the layout above. [Check] believes nothing. It accepts
// any plain ZIP, so bundles may be made by other tools, but only after every
// header, size, sum and digest in it was found to agree. An archive that passed
// can be used; one that did not has been used for nothing.
//
// Both sides share the path rules ([CheckPath], [CheckPaths]), the manifest
// rules ([ParseManifest]) and the limits, so that the server cannot make what
// the client refuses.
package bundlezip
