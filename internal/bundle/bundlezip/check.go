package bundlezip

import (
	"cmp"
	"io"
	"slices"
)

// Check reads an archive that nobody vouches for, to its last byte, and gives
// it back only if all of it is as the law wants it:
//
//   - it consists of entries, directory and end record, without a gap, an
//     overlap or anything before, between or after them;
//   - directory and local headers agree; no encryption, no ZIP64, no comments,
//     no methods but store and deflate, only regular files with safe names;
//   - manifest.json is valid, lists every entry and nothing else;
//   - every entry has exactly the size, CRC and SHA-256 that is declared for
//     it, and every port template stands in its file.
//
// Nothing is inflated beyond its declared size and nothing is inflated at all
// before the declared sizes are known to be within the limits. An error that
// matches ErrInvalid speaks of the archive, any other of reading it.
func Check(r io.ReaderAt, size int64) (*Archive, error) {
	entries, start, err := readDirectory(r, size)
	if err != nil {
		return nil, err
	}
	if err := locate(r, entries, start); err != nil {
		return nil, err
	}
	a, err := newArchive(r, entries)
	if err != nil {
		return nil, err
	}
	if err := a.checkContents(); err != nil {
		return nil, err
	}
	return a, nil
}

// locate reads the local headers, compares them with the directory, and sees
// that they and their contents fill the space before the directory exactly.
func locate(r io.ReaderAt, entries []zipEntry, start int64) error {
	order := make([]*zipEntry, len(entries))
	for i := range entries {
		order[i] = &entries[i]
	}
	slices.SortStableFunc(order, func(a, b *zipEntry) int { return cmp.Compare(a.header, b.header) })
	next := int64(0)
	for i, e := range order {
		switch {
		case e.header < next:
			return badEntry(e.name, "overlaps another entry")
		case e.header > next:
			return badEntry(e.name, "has %d bytes before it that belong to no entry", e.header-next)
		}
		if err := e.readLocal(r, start); err != nil {
			return err
		}
		next = e.data + e.packed
		if e.flags&flagDescriptor == 0 {
			continue
		}
		// What follows is known, so the descriptor's length is no guess.
		end := start
		if i+1 < len(order) {
			end = order[i+1].header
		}
		if err := e.readDescriptor(r, next, end); err != nil {
			return err
		}
		next = end
	}
	if next != start {
		return badArchive("has %d bytes between its entries and its directory", start-next)
	}
	return nil
}

func (e *zipEntry) readLocal(r io.ReaderAt, limit int64) error {
	b := make([]byte, localLength+len(e.name))
	if e.header+int64(len(b)) > limit {
		return badEntry(e.name, "reaches into the directory")
	}
	if err := readFull(r, b, e.header); err != nil {
		return err
	}
	nameLength, extraLength := int(le16(b[26:])), int(le16(b[28:]))
	crc, packed, size := le32(b[14:]), int64(le32(b[18:])), int64(le32(b[22:]))
	agree := crc == e.crc && packed == e.packed && size == e.size
	if e.flags&flagDescriptor != 0 {
		// The header was written before the sums were known, or after.
		agree = (crc == e.crc || crc == 0) && (packed == e.packed || packed == 0) && (size == e.size || size == 0)
	}
	switch {
	case le32(b) != localSignature:
		return badEntry(e.name, "has no local header")
	case nameLength != len(e.name) || string(b[localLength:]) != e.name:
		return badEntry(e.name, "has another name in its local header")
	case le16(b[6:]) != e.flags:
		return badEntry(e.name, "has other flags in its local header")
	case le16(b[8:]) != e.method:
		return badEntry(e.name, "has another compression method in its local header")
	case le16(b[4:])&0xff > versionAllowed:
		return badEntry(e.name, "asks for another version of the format in its local header")
	case !agree:
		return badEntry(e.name, "has other sizes or another CRC in its local header")
	case extraLength > maxExtra:
		return badEntry(e.name, "has oversized extra fields")
	}
	e.data = e.header + int64(len(b)+extraLength)
	if e.data+e.packed > limit {
		return badEntry(e.name, "reaches into the directory")
	}
	if extraLength == 0 {
		return nil
	}
	extra := make([]byte, extraLength)
	if err := readFull(r, extra, e.header+int64(len(b))); err != nil {
		return err
	}
	if err := checkExtra(extra); err != nil {
		return &ArchiveError{Entry: e.name, Err: err}
	}
	return nil
}

// readDescriptor reads what follows the content of an entry that was written
// before its size was known.
func (e *zipEntry) readDescriptor(r io.ReaderAt, start, end int64) error {
	const length, signedLength = 12, 16
	if end-start != length && end-start != signedLength {
		return badEntry(e.name, "is not followed by a data descriptor and the next entry")
	}
	b := make([]byte, end-start)
	if err := readFull(r, b, start); err != nil {
		return err
	}
	if len(b) == signedLength {
		if le32(b) != descriptorSignature {
			return badEntry(e.name, "is followed by something else than its data descriptor")
		}
		b = b[4:]
	}
	if le32(b) != e.crc || int64(le32(b[4:])) != e.packed || int64(le32(b[8:])) != e.size {
		return badEntry(e.name, "has other sizes or another CRC in its data descriptor")
	}
	return nil
}
