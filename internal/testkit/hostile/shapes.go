package hostile

import (
	"bytes"
	"compress/flate"
	"strings"
)

// lieCases say one thing in one place and another elsewhere.
func lieCases() []Case {
	bend := func(name, want string, change func(hello *entry)) Case {
		return Case{"lie-" + name, want, with(func(_ *zipFile, hello *entry) { change(hello) })}
	}
	both := func(name, want string, change func(*header)) Case {
		return bend(name, want, func(hello *entry) { hello.both(change) })
	}
	return []Case{
		bend("local-name", "another name", func(e *entry) { e.local.name = "src/evils.txt" }),
		bend("local-name-slip", "another name", func(e *entry) { e.local.name = "../" + strings.Repeat("x", len(e.central.name)-3) }),
		bend("local-name-longer", "another name", func(e *entry) { e.local.name += "x" }),
		bend("local-name-shorter", "another name", func(e *entry) { e.local.name = "s" }),
		bend("local-size", "local header", func(e *entry) { e.local.size++ }),
		bend("local-packed-size", "local header", func(e *entry) { e.local.packed-- }),
		bend("local-crc", "local header", func(e *entry) { e.local.crc ^= 1 }),
		bend("local-method", "another compression method", func(e *entry) { e.local.method = 0 }),
		bend("local-flags", "other flags", func(e *entry) { e.local.flags = 0 }),
		bend("local-encrypted", "other flags", func(e *entry) { e.local.flags |= 1 }),
		bend("local-version", "another version", func(e *entry) { e.local.version = 45 }),
		both("crc", "CRC", func(h *header) { h.crc ^= 1 }),
		both("size-smaller", "where the manifest says", func(h *header) { h.size-- }),
		both("size-larger", "where the manifest says", func(h *header) { h.size++ }),
		both("stored-with-two-sizes", "two different sizes", func(h *header) { h.method = 0 }),
		bend("packed-size-smaller", "local header", func(e *entry) { e.central.packed-- }),
		bend("packed-size-larger", "local header", func(e *entry) { e.central.packed++ }),
		{"lie-digest", "SHA-256", single(file("a", helloText), bent(line("a", helloText), "sha256", strings.Repeat("0", 64)))},
		{"lie-manifest-size", "where the manifest says", single(file("a", helloText), bent(line("a", helloText), "size", 14))},
		{"lie-content-longer-than-declared", "longer than", lyingSize(helloText, helloText[:5])},
		{"lie-content-shorter-than-declared", "shorter than", lyingSize(helloText[:5], helloText)},
		{"lie-content-of-empty-file", "longer than", lyingSize(helloText, nil)},
		bend("data-after-content", "data after the end", func(e *entry) {
			e.data = append(bytes.Clone(e.data), "hidden"...)
			e.both(func(h *header) { h.packed += 6 })
		}),
		bend("deflate-cut-off", "shorter than", func(e *entry) {
			e.data = e.data[:len(e.data)-3]
			e.both(func(h *header) { h.packed -= 3 })
		}),
		bend("deflate-corrupt", "cannot be inflated", func(e *entry) { e.data = bytes.Repeat([]byte{0xff}, len(e.data)) }),
		{"lie-deflate-empty-code", "cannot be inflated", zipFile{entries: []entry{emptyCode("manifest.json")}}.bytes()},
		bend("descriptor", "in its data descriptor", func(e *entry) {
			e.stream(true)
			e.after[len(e.after)-1] ^= 1
		}),
		bend("descriptor-without-signature", "in its data descriptor", func(e *entry) {
			e.stream(false)
			e.after[0] ^= 1
		}),
		bend("descriptor-missing", "data descriptor", func(e *entry) {
			e.stream(true)
			e.after = nil
		}),
		bend("descriptor-of-zip64", "data descriptor", func(e *entry) {
			e.stream(true)
			e.after = append(e.after, 0, 0, 0, 0, 0, 0, 0, 0)
		}),
		bend("descriptor-foreign-signature", "something else", func(e *entry) {
			e.stream(true)
			e.after[0] ^= 1
		}),
		bend("descriptor-and-other-local-size", "local header", func(e *entry) {
			e.stream(true)
			e.local.size = e.central.size + 1
		}),
	}
}

// lyingSize is an entry whose headers and manifest line agree on a content that
// its data does not inflate to.
func lyingSize(actual, declared []byte) []byte {
	e := file("a", actual)
	truth := file("a", declared)
	e.both(func(h *header) { h.size, h.crc = truth.local.size, truth.local.crc })
	return single(e, line("a", declared))
}

// emptyCode is an entry whose second block defines its codes by a code that has
// no words. A decompressor may go on with what the first block left behind.
func emptyCode(name string) entry {
	text := bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog; "), 50)
	const block = "\x05\x00\x00\x00\x00\x00\x00\x00" // the last one, with codes of its own
	return packedFile(name, 8, append(deflated(text, (*flate.Writer).Flush), block...), append(text, 'x'))
}

// shapeCases are files whose parts do not fit together as those of a ZIP.
func shapeCases() []Case {
	bend := func(name, want string, change func(z *zipFile, hello *entry)) Case {
		return Case{"shape-" + name, want, with(change)}
	}
	ending := func(name, want string, change func(*end)) Case {
		return bend(name, want, func(z *zipFile, _ *entry) { z.end = change })
	}
	headers := func(name, want string, change func(*header)) Case {
		return bend(name, want, func(_ *zipFile, hello *entry) { hello.both(change) })
	}
	whole := good().bytes()
	inner := string(zipFile{}.bytes())
	return []Case{
		{"shape-empty-file", "too short", nil},
		{"shape-not-a-zip", "end record", bytes.Repeat([]byte("text "), 100)},
		{"shape-only-an-end-record", "no manifest.json", zipFile{}.bytes()},
		{"shape-cut-off", "end record", whole[:len(whole)-1]},
		{"shape-cut-in-the-directory", "end record", whole[:len(whole)-60]},
		{"shape-first-half", "end record", whole[:len(whole)/2]},
		{"shape-second-half", "directory", whole[len(whole)/2:]},
		bend("junk-before", "belong to no entry", func(z *zipFile, _ *entry) { z.before, z.counted = []byte("#!/bin/sh\n"), true }),
		bend("junk-before-unnoticed", "directory", func(z *zipFile, _ *entry) { z.before = []byte("#!/bin/sh\n") }),
		bend("junk-after", "end record", func(z *zipFile, _ *entry) { z.after = []byte("junk") }),
		bend("junk-before-directory", "between its entries and its directory", func(z *zipFile, _ *entry) { z.beforeDirectory = []byte("junk") }),
		bend("junk-in-directory", "belong to no entry", func(z *zipFile, _ *entry) { z.inDirectory = []byte("junk") }),
		bend("junk-before-end", "directory that does not reach", func(z *zipFile, _ *entry) { z.beforeEnd = []byte("junk") }),
		bend("junk-between-entries", "belong to no entry", func(_ *zipFile, hello *entry) { hello.after = []byte("junk") }),
		bend("hidden-entry", "belong to no entry", func(z *zipFile, _ *entry) {
			hidden := file("../evil", helloText)
			hidden.unlisted = true
			z.entries = append([]entry{hidden}, z.entries...)
		}),
		bend("hidden-entry-last", "between its entries and its directory", func(z *zipFile, _ *entry) {
			hidden := file("../evil", helloText)
			hidden.unlisted = true
			z.entries = append(z.entries, hidden)
		}),
		bend("two-archives", "directory that does not reach", func(z *zipFile, _ *entry) { z.beforeEnd = good().bytes() }),
		{"shape-archive-after-archive", "directory that does not reach", append(good().bytes(), whole...)},
		ending("comment", "end record", func(e *end) { e.comment = "hello" }),
		ending("comment-with-an-end-record", "directory", func(e *end) { e.comment = inner }),
		ending("comment-length-without-comment", "end record", func(e *end) { e.comment = strings.Repeat("\x00", 22) }),
		bend("comment-of-entry", "comment", func(_ *zipFile, hello *entry) { hello.central.comment = "hidden" }),
		ending("count-too-small", "belong to no entry", func(e *end) { e.here, e.total = 2, 2 }),
		ending("count-too-large", "fewer entries", func(e *end) { e.here, e.total = 4, 4 }),
		ending("count-zero", "belong to no entry", func(e *end) { e.here, e.total = 0, 0 }),
		ending("counts-differ", "several", func(e *end) { e.here = 2 }),
		ending("second-disk", "several", func(e *end) { e.disk, e.directoryDisk = 1, 1 }),
		ending("directory-start-later", "does not reach", func(e *end) { e.start++ }),
		ending("directory-start-earlier", "does not reach", func(e *end) { e.start-- }),
		ending("directory-shifted", "fewer entries", func(e *end) { e.start, e.length = e.start-8, e.length+8 }),
		ending("directory-beyond-file", "does not reach", func(e *end) { e.start = 0xfffffff0 }),
		ending("zip64-count", "ZIP64", func(e *end) { e.here, e.total = 0xffff, 0xffff }),
		ending("zip64-start", "ZIP64", func(e *end) { e.start = 0xffffffff }),
		ending("zip64-length", "ZIP64", func(e *end) { e.length = 0xffffffff }),
		bend("zip64-records", "directory that does not reach", func(z *zipFile, _ *entry) { z.beforeEnd = zip64Records() }),
		bend("zip64-locator-in-directory", "ZIP64", func(z *zipFile, _ *entry) { z.inDirectory = zip64Records() }),
		headers("zip64-size", "ZIP64", func(h *header) { h.size = 0xffffffff }),
		headers("zip64-packed-size", "ZIP64", func(h *header) { h.packed = 0xffffffff }),
		bend("zip64-offset", "ZIP64", func(_ *zipFile, hello *entry) { hello.offset = at(0xffffffff) }),
		headers("encrypted", "encrypted", func(h *header) { h.flags |= 1 }),
		headers("strongly-encrypted", "encrypted", func(h *header) { h.flags |= 1 | 0x40 }),
		headers("patch-data", "flags", func(h *header) { h.flags |= 0x20 }),
		headers("masked-headers", "flags", func(h *header) { h.flags |= 0x2000 }),
		headers("method-bzip2", "method 12", func(h *header) { h.method = 12 }),
		headers("method-lzma", "method 14", func(h *header) { h.method = 14 }),
		headers("method-zstd", "method 93", func(h *header) { h.method = 93 }),
		headers("method-aes", "method 99", func(h *header) { h.method = 99 }),
		headers("version-zip64", "version 45", func(h *header) { h.version = 45 }),
		bend("entry-on-another-disk", "another disk", func(_ *zipFile, hello *entry) { hello.central.disk = 1 }),
		{"shape-name-in-no-known-alphabet", "not marked as UTF-8", unmarkedName()},
		bend("offset-into-another-entry", "overlaps", func(_ *zipFile, hello *entry) { hello.offset = at(3) }),
		bend("offset-of-another-entry", "overlaps", func(_ *zipFile, hello *entry) { hello.offset = at(0) }),
		bend("offset-in-directory", "reaches into the directory", func(_ *zipFile, hello *entry) { hello.offset = at(uint32(len(whole) - 40)) }),
		bend("offset-beyond-file", "reaches into the directory", func(_ *zipFile, hello *entry) { hello.offset = at(0x7fffffff) }),
		bend("directory-only-entry", "overlaps", func(z *zipFile, _ *entry) {
			ghost := file("ghost", helloText)
			ghost.absent, ghost.offset = true, at(0)
			z.entries = append(z.entries, ghost)
		}),
		bend("no-local-header", "no local header", func(z *zipFile, hello *entry) {
			raw := bytes.Clone(hello.local.localBytes())
			raw[0] = 'Q'
			z.entries[0].after = append(append(z.entries[0].after, raw...), hello.data...)
			start := length(z.entries[0].local.localBytes()) + length(z.entries[0].data)
			hello.absent, hello.offset = true, &start
		}),
	}
}

func at(offset uint32) *uint32 { return &offset }

func unmarkedName() []byte {
	e := file("caf\u00e9", helloText)
	e.both(func(h *header) { h.flags = 0 })
	return single(e, line("caf\u00e9", helloText))
}

// zip64Records are an end record of the large kind and its locator.
func zip64Records() []byte {
	record := le32(nil, 0x06064b50)
	record = append(record, make([]byte, 52)...)
	record[4] = 44
	locator := le32(nil, 0x07064b50)
	return append(append(record, locator...), make([]byte, 16)...)
}
