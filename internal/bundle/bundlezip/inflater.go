package bundlezip

import (
	"bufio"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// inflater reads entries one after the other, each to its exact end. It never
// gives out more bytes than an entry declares.
type inflater struct {
	source  io.ReaderAt
	entry   zipEntry
	packed  *bufio.Reader
	content io.Reader
	flate   io.ReadCloser
	sum     hash.Hash32
	left    int64
	err     error
}

func newInflater(source io.ReaderAt) *inflater {
	return &inflater{source: source, sum: crc32.NewIEEE(), packed: bufio.NewReaderSize(nil, 32<<10)}
}

func (in *inflater) start(e zipEntry) {
	in.entry, in.left, in.err = e, e.size, nil
	in.sum.Reset()
	in.packed.Reset(io.NewSectionReader(in.source, e.data, e.packed))
	if e.method == methodStore {
		in.content = in.packed
		return
	}
	if used, ok := in.flate.(flate.Resetter); !ok {
		in.flate = flate.NewReader(in.packed) // the first one
	} else if err := used.Reset(in.packed, nil); err != nil {
		in.err = fmt.Errorf("start to inflate %q: %w", e.name, err)
	}
	in.content = in.flate
}

// Read implements io.Reader over the entry that was started last.
func (in *inflater) Read(p []byte) (int, error) {
	if in.err != nil {
		return 0, in.err
	}
	if in.left == 0 {
		in.err = in.finish()
		return 0, in.err
	}
	if int64(len(p)) > in.left {
		p = p[:in.left]
	}
	n, err := in.content.Read(p)
	in.left -= int64(n)
	_, _ = in.sum.Write(p[:n]) // a hash never fails
	if err != nil && !(errors.Is(err, io.EOF) && in.left == 0) {
		in.err = in.explain(err)
	}
	return n, in.err
}

// finish is reached when the declared size has been read: now the compressed
// form must end as well, exactly where its declared size ends.
func (in *inflater) finish() error {
	var more [1]byte
	switch n, err := io.ReadFull(in.content, more[:]); {
	case n > 0:
		return badEntry(in.entry.name, "is longer than the %d bytes that it declares", in.entry.size)
	case !errors.Is(err, io.EOF):
		return in.explain(err)
	}
	if _, err := in.packed.ReadByte(); err == nil {
		return badEntry(in.entry.name, "has data after the end of its content")
	} else if !errors.Is(err, io.EOF) {
		return in.explain(err)
	}
	if in.sum.Sum32() != in.entry.crc {
		return badEntry(in.entry.name, "does not have the CRC that it declares")
	}
	return io.EOF
}

// explain tells bad content from a source that cannot be read.
func (in *inflater) explain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return badEntry(in.entry.name, "is shorter than the %d bytes that it declares", in.entry.size)
	}
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	_, internal := errors.AsType[flate.InternalError](err) // despite its name, input can bring it about
	if corrupt || internal {
		return badEntry(in.entry.name, "cannot be inflated: %w", err)
	}
	return fmt.Errorf("read entry %q: %w", in.entry.name, err)
}

// readAll gives the whole content of an entry.
func (in *inflater) readAll(e zipEntry) ([]byte, error) {
	in.start(e)
	content := make([]byte, e.size)
	if _, err := io.ReadFull(in, content); err != nil {
		return nil, err
	}
	if _, err := in.Read(nil); !errors.Is(err, io.EOF) {
		return nil, err
	}
	return content, nil
}

// copy writes the whole content of an entry to w, through memory that does not
// grow with it.
func (in *inflater) copy(w io.Writer, e zipEntry) error {
	in.start(e)
	_, err := io.Copy(w, in)
	return err
}
