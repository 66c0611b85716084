package bundlezip

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// The ZIP format, as far as bundles use it.
const (
	endSignature        = 0x06054b50
	end64Signature      = 0x07064b50 // the locator that precedes it
	centralSignature    = 0x02014b50
	localSignature      = 0x04034b50
	descriptorSignature = 0x08074b50

	endLength     = 22
	locatorLength = 20
	centralLength = 46
	localLength   = 30

	methodStore   = 0
	methodDeflate = 8

	flagDescriptor = 0x0008
	flagUTF8       = 0x0800
	// Bits 1 and 2 tell how hard the compressor tried; they mean nothing to
	// a reader.
	flagsAllowed = 0x0006 | flagDescriptor | flagUTF8

	versionAllowed = 20
	maxDirectory   = MaxEntries * (centralLength + maxEntryName + maxExtra)
)

// zipEntry is what the central directory says of an entry.
type zipEntry struct {
	name   string
	flags  uint16
	method uint16
	crc    uint32
	packed int64
	size   int64
	header int64 // where the local header stands
	data   int64 // where the content stands, once that is known
	perm   fs.FileMode
}

// readDirectory reads the central directory of an archive that consists of
// entries, directory and end record and of nothing else. It gives the entries
// in directory order and the place where the directory begins.
func readDirectory(r io.ReaderAt, size int64) ([]zipEntry, int64, error) {
	if size > MaxArchive {
		return nil, 0, badArchive("has %d bytes, more than %d", size, MaxArchive)
	}
	if size < endLength {
		return nil, 0, badArchive("is too short to be a ZIP")
	}
	end := make([]byte, endLength)
	if err := readFull(r, end, size-endLength); err != nil {
		return nil, 0, err
	}
	count, start, length, err := parseEnd(end, size)
	if err != nil {
		return nil, 0, err
	}
	directory := make([]byte, length)
	if err := readFull(r, directory, start); err != nil {
		return nil, 0, err
	}
	// Some readers look for this record whatever the end record says.
	if length >= locatorLength && le32(directory[length-locatorLength:]) == end64Signature {
		return nil, 0, badArchive("has ZIP64 records")
	}
	entries := make([]zipEntry, 0, count)
	seen := make(map[string]bool, count)
	var unpacked int64
	for range count {
		var e zipEntry
		e, directory, err = parseCentral(directory)
		if err != nil {
			return nil, 0, err
		}
		if seen[e.name] {
			return nil, 0, badEntry(e.name, "is there twice")
		}
		seen[e.name] = true
		unpacked += e.size
		if unpacked > MaxUnpacked {
			return nil, 0, badArchive("unpacks to more than %d bytes", MaxUnpacked)
		}
		if e.header+localLength+int64(len(e.name))+e.packed > start {
			return nil, 0, badEntry(e.name, "reaches into the directory")
		}
		entries = append(entries, e)
	}
	if len(directory) > 0 {
		return nil, 0, badArchive("has %d bytes in its directory that belong to no entry", len(directory))
	}
	return entries, start, nil
}

func parseEnd(end []byte, size int64) (count int, start, length int64, err error) {
	if le32(end) != endSignature {
		return 0, 0, 0, badArchive("does not end in a ZIP end record: it is cut off, has a comment, or has data after it")
	}
	disk, directoryDisk := le16(end[4:]), le16(end[6:])
	here, total := le16(end[8:]), le16(end[10:])
	directoryLength, directoryStart := le32(end[12:]), le32(end[16:])
	switch {
	case here == 0xffff, total == 0xffff, directoryLength == 0xffffffff, directoryStart == 0xffffffff:
		return 0, 0, 0, badArchive("asks for ZIP64 records, which a bundle never needs")
	case disk != 0 || directoryDisk != 0 || here != total:
		return 0, 0, 0, badArchive("is part of a set of several")
	case le16(end[20:]) != 0:
		return 0, 0, 0, badArchive("has a comment")
	case total > MaxEntries:
		return 0, 0, 0, badArchive("has %d entries, more than %d", total, MaxEntries)
	case int64(directoryStart)+int64(directoryLength) != size-endLength:
		return 0, 0, 0, badArchive("has a directory that does not reach from its start to the end record")
	case directoryLength > maxDirectory:
		return 0, 0, 0, badArchive("has a directory of %d bytes, more than its entries can need", directoryLength)
	}
	return int(total), int64(directoryStart), int64(directoryLength), nil
}

func parseCentral(b []byte) (zipEntry, []byte, error) {
	if len(b) < centralLength || le32(b) != centralSignature {
		return zipEntry{}, nil, badArchive("has a directory with fewer entries than the end record says")
	}
	nameLength, extraLength, commentLength := int(le16(b[28:])), int(le16(b[30:])), int(le16(b[32:]))
	if len(b) < centralLength+nameLength+extraLength+commentLength {
		return zipEntry{}, nil, badArchive("has a directory that is cut off")
	}
	e := zipEntry{
		name:   string(b[centralLength : centralLength+nameLength]),
		flags:  le16(b[8:]),
		method: le16(b[10:]),
		crc:    le32(b[16:]),
		packed: int64(le32(b[20:])),
		size:   int64(le32(b[24:])),
		header: int64(le32(b[42:])),
		perm:   fs.FileMode(le32(b[38:])>>16) & fs.ModePerm,
	}
	if e.packed == 0xffffffff || e.size == 0xffffffff || e.header == 0xffffffff {
		return zipEntry{}, nil, badEntry(e.name, "asks for ZIP64 fields, which a bundle never needs")
	}
	if err := e.checkName(); err != nil {
		return zipEntry{}, nil, err
	}
	if le16(b[34:]) != 0 {
		return zipEntry{}, nil, badEntry(e.name, "lies on another disk")
	}
	if commentLength != 0 {
		return zipEntry{}, nil, badEntry(e.name, "has a comment")
	}
	if err := e.checkKind(le16(b[6:]), le32(b[38:])); err != nil {
		return zipEntry{}, nil, err
	}
	extra := b[centralLength+nameLength:][:extraLength]
	if err := checkExtra(extra); err != nil {
		return zipEntry{}, nil, &ArchiveError{Entry: e.name, Err: err}
	}
	return e, b[centralLength+nameLength+extraLength:], nil
}

func (e zipEntry) checkName() error {
	if n := len(e.name); n > 0 && e.name[n-1] == '/' {
		return badEntry(e.name, "is a folder; a bundle holds files only")
	}
	if err := checkName(e.name, maxEntryName); err != nil {
		return &ArchiveError{Err: err}
	}
	// Without the flag, readers disagree on the alphabet of the name.
	if !isASCII(e.name) && e.flags&flagUTF8 == 0 {
		return badEntry(e.name, "has a name that is not marked as UTF-8")
	}
	return nil
}

// checkKind accepts regular files, compressed in one of two ways.
func (e zipEntry) checkKind(version uint16, attributes uint32) error {
	const (
		unixKind, unixRegular, unixSpecialBits = 0o170000, 0o100000, 0o7000
		dosLabel, dosFolder                    = 0x08, 0x10
	)
	mode := attributes >> 16
	kind := mode & unixKind
	switch {
	case e.flags&1 != 0:
		return badEntry(e.name, "is encrypted")
	case e.flags&^flagsAllowed != 0:
		return badEntry(e.name, "has flags 0x%04x, which a bundle never needs", e.flags)
	case e.method != methodStore && e.method != methodDeflate:
		return badEntry(e.name, "is compressed by method %d; only 0 and 8 are allowed", e.method)
	case e.method == methodStore && e.packed != e.size:
		return badEntry(e.name, "is stored, but with two different sizes")
	case version&0xff > versionAllowed:
		return badEntry(e.name, "asks for version %d of the format", version&0xff)
	case kind != 0 && kind != unixRegular:
		return badEntry(e.name, "is not a regular file (mode %o)", mode)
	case mode&unixSpecialBits != 0:
		return badEntry(e.name, "has special permission bits (mode %o)", mode)
	case attributes&(dosLabel|dosFolder) != 0:
		return badEntry(e.name, "is marked as a folder or label")
	}
	return nil
}

// maxExtra is enough for the extra fields that are allowed.
const maxExtra = 128

// checkExtra accepts the harmless fields that common tools add, times and
// owners. Others can rename an entry, resize it or make it a link.
func checkExtra(extra []byte) error {
	if len(extra) > maxExtra {
		return errors.New("has oversized extra fields")
	}
	for len(extra) > 0 {
		if len(extra) < 4 || len(extra) < 4+int(le16(extra[2:])) {
			return errors.New("has a broken extra field")
		}
		switch id := le16(extra); id {
		case 0x5455, 0x5855, 0x7855, 0x7875, 0x000a:
		default:
			return fmt.Errorf("has the extra field 0x%04x, which a bundle never needs", id)
		}
		extra = extra[4+int(le16(extra[2:])):]
	}
	return nil
}

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// readFull reads all of b at offset. A short source is an error of reading, not
// of the archive: the caller vouched for the size.
func readFull(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read archive: %w", err)
}
