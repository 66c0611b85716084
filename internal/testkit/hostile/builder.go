package hostile

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
)

// header holds the fields of a local or a central header.
type header struct {
	creator, version, flags, method uint16
	crc, packed, size               uint32
	name, extra, comment            string
	disk                            uint16
	attributes                      uint32
}

// entry is one entry with both of its headers, which need not agree.
type entry struct {
	local, central header
	data           []byte
	after          []byte  // stands behind the data
	offset         *uint32 // what the directory says, if not the truth
	unlisted       bool    // the directory says nothing
	absent         bool    // only the directory speaks of it
}

// end holds the fields of the end record.
type end struct {
	disk, directoryDisk, here, total uint16
	length, start                    uint32
	comment                          string
}

// zipFile is an archive in parts.
type zipFile struct {
	before, beforeDirectory, inDirectory, beforeEnd, after []byte
	entries                                                []entry
	end                                                    func(*end)
	// counted says that the offsets count the bytes before the first entry.
	counted bool
}

const regular = 0o100644 << 16

func file(name string, content []byte) entry {
	return packedFile(name, 8, deflated(content, (*flate.Writer).Close), content)
}

// deflated is the compressed form of a content, ended by Close or by Flush.
func deflated(content []byte, end func(*flate.Writer) error) []byte {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(content) // a buffer takes everything
	_ = end(w)
	return packed.Bytes()
}

func stored(name string, content []byte) entry { return packedFile(name, 0, content, content) }

func packedFile(name string, method uint16, data, content []byte) entry {
	h := header{
		creator: 3<<8 | 20, version: 20, method: method, flags: 0x800,
		crc: crc32.ChecksumIEEE(content), packed: length(data), size: length(content),
		name: name, attributes: regular,
	}
	return entry{local: h, central: h, data: data}
}

// both changes the two headers alike.
func (e *entry) both(change func(*header)) {
	change(&e.local)
	change(&e.central)
}

// stream gives the entry a data descriptor, with or without its signature.
func (e *entry) stream(signed bool) {
	e.after = nil
	if signed {
		e.after = le32(nil, 0x08074b50)
	}
	e.after = le32(e.after, e.central.crc, e.central.packed, e.central.size)
	e.both(func(h *header) { h.flags |= 8 })
	e.local.crc, e.local.packed, e.local.size = 0, 0, 0
}

func (z zipFile) bytes() []byte {
	out := bytes.Clone(z.before)
	origin := length(z.before)
	if z.counted {
		origin = 0
	}
	var directory []byte
	count := uint16(0)
	for _, e := range z.entries {
		offset := length(out) - origin
		if e.offset != nil {
			offset = *e.offset
		}
		if !e.absent {
			out = append(out, e.local.localBytes()...)
			out = append(out, e.data...)
			out = append(out, e.after...)
		}
		if !e.unlisted {
			directory = append(directory, e.central.centralBytes(offset)...)
			count++
		}
	}
	out = append(out, z.beforeDirectory...)
	directory = append(directory, z.inDirectory...)
	record := end{here: count, total: count, length: length(directory), start: length(out) - origin}
	if z.end != nil {
		z.end(&record)
	}
	out = append(out, directory...)
	out = append(out, z.beforeEnd...)
	out = append(out, record.bytes()...)
	return append(out, z.after...)
}

func (h header) localBytes() []byte {
	b := le32(nil, 0x04034b50)
	b = le16(b, h.version, h.flags, h.method, 0, 0x21)
	b = le32(b, h.crc, h.packed, h.size)
	b = le16(b, length16(h.name), length16(h.extra))
	return append(append(b, h.name...), h.extra...)
}

func (h header) centralBytes(offset uint32) []byte {
	b := le32(nil, 0x02014b50)
	b = le16(b, h.creator, h.version, h.flags, h.method, 0, 0x21)
	b = le32(b, h.crc, h.packed, h.size)
	b = le16(b, length16(h.name), length16(h.extra), length16(h.comment), h.disk, 0)
	b = le32(b, h.attributes, offset)
	return append(append(append(b, h.name...), h.extra...), h.comment...)
}

func (r end) bytes() []byte {
	b := le32(nil, 0x06054b50)
	b = le16(b, r.disk, r.directoryDisk, r.here, r.total)
	b = le32(b, r.length, r.start)
	b = le16(b, length16(r.comment))
	return append(b, r.comment...)
}

func le16(b []byte, values ...uint16) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	return b
}

func le32(b []byte, values ...uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func length(b []byte) uint32 { return uint32(len(b)) }

func length16(s string) uint16 { return uint16(len(s)) }

// fields is a JSON object in the making.
type fields map[string]any

func line(path string, content []byte) fields {
	digest := sha256.Sum256(content)
	return fields{
		"path": path, "destination_type": "project", "merge_strategy": "overwrite",
		"sha256": hex.EncodeToString(digest[:]), "size": len(content), "mode": "0644",
	}
}

func manifest(lines ...fields) fields {
	return fields{
		"manifest_version": 1, "project_id": "proj_hostile", "architecture": fields{},
		"files": append([]fields{}, lines...), "ports": []fields{},
	}
}

func (f fields) entry() entry {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // made of strings and numbers
	}
	return file("manifest.json", text)
}

var (
	helloText = []byte("hello, world\n")
	envText   = []byte("PORT=3000\nADMIN_PORT=30001\nCOPY=3000\n")
)

// good is the archive that the cases start from.
func good() zipFile {
	return zipFile{entries: []entry{
		file(".env", envText),
		file("src/hello.txt", helloText),
		manifest(line(".env", envText), line("src/hello.txt", helloText)).entry(),
	}}
}

// with bends the good archive; hello is its second entry.
func with(change func(z *zipFile, hello *entry)) []byte {
	z := good()
	change(&z, &z.entries[1])
	return z.bytes()
}

// single is an archive of one file, listed with a line that may be bent.
func single(e entry, l fields) []byte {
	return zipFile{entries: []entry{e, manifest(l).entry()}}.bytes()
}
