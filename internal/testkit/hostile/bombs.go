package hostile

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
)

// bombCases try to make the reader work or remember more than is good.
func bombCases() []Case {
	return []Case{
		{"bomb-inflates-beyond-its-size", "longer than", lyingSize(make([]byte, 4<<20), make([]byte, 1000))},
		{"bomb-declared", "unpacks to more than", declaredBomb(1, 256<<20+1)},
		{"bomb-declared-in-parts", "unpacks to more than", declaredBomb(4, 80<<20)},
		{"bomb-size-wraps-around", "unpacks to more than", declaredBomb(3, 0xfffffff0)},
		{"bomb-overlapping-entries", "overlaps", overlapBomb()},
		{"bomb-one-content-for-all", "overlaps", sharedBomb()},
		{"bomb-entries", "10001 entries", manyEntries(10_001)},
		{"bomb-directory-count", "entries", with(func(z *zipFile, _ *entry) {
			z.end = func(e *end) { e.here, e.total = 60_000, 60_000 }
		})},
		{"bomb-manifest", "larger than", rawManifest(`{"manifest_version":1` + strings.Repeat(" ", 8<<20) + `}`)},
		{"bomb-manifest-values", "too many values", rawManifest(`{"x":[` + strings.Repeat("[],", 200_000) + `[]]}`)},
		{"bomb-manifest-depth", "nested too deeply", rawManifest(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))},
		{"bomb-manifest-lying-size", "longer than", func() []byte {
			e := file("manifest.json", bytes.Repeat([]byte(" "), 4<<20))
			e.both(func(h *header) { h.size = 100 })
			return zipFile{entries: []entry{e}}.bytes()
		}()},
	}
}

func rawManifest(text string) []byte {
	return zipFile{entries: []entry{file("manifest.json", []byte(text))}}.bytes()
}

func declaredBomb(parts int, size uint32) []byte {
	var z zipFile
	var lines []fields
	for i := range parts {
		name := fmt.Sprintf("part%d", i)
		e := file(name, helloText)
		e.both(func(h *header) { h.size = size })
		z.entries = append(z.entries, e)
		lines = append(lines, bent(line(name, helloText), "size", 1000))
	}
	z.entries = append(z.entries, manifest(lines...).entry())
	return z.bytes()
}

// overlapBomb lets each entry's content begin with the header of the next one,
// so that one kernel is inflated by all of them.
func overlapBomb() []byte {
	kernel := file("kernel", make([]byte, 1<<20))
	var z zipFile
	for i := range 3 {
		e := kernel
		e.both(func(h *header) { h.name = fmt.Sprintf("part%d", i) })
		z.entries = append(z.entries, e)
	}
	one := length(z.entries[0].local.localBytes())
	for i := range 2 {
		e := &z.entries[i]
		e.data = nil
		e.both(func(h *header) { h.packed = kernel.local.packed + one*uint32(2-i) })
	}
	content := make([]byte, 1<<20)
	z.entries = append(z.entries, manifest(line("part0", content), line("part1", content), line("part2", content)).entry())
	return z.bytes()
}

// sharedBomb has many directory entries for one local header.
func sharedBomb() []byte {
	content := make([]byte, 1<<20)
	kernel := file("part", content)
	z := zipFile{entries: []entry{kernel}}
	listed := line("part", content)
	lines := []fields{listed}
	for i := range 100 {
		e := kernel
		e.central.name = fmt.Sprintf("part%d", i)
		e.absent, e.offset = true, at(0)
		z.entries = append(z.entries, e)
		lines = append(lines, bent(maps.Clone(listed), "path", e.central.name))
	}
	z.entries = append(z.entries, manifest(lines...).entry())
	return z.bytes()
}

func manyEntries(count int) []byte {
	z := zipFile{entries: []entry{manifest().entry()}}
	empty := stored("", nil)
	for i := range count - 1 {
		e := empty
		e.both(func(h *header) { h.name = fmt.Sprintf("%x", i) })
		z.entries = append(z.entries, e)
	}
	return z.bytes()
}
