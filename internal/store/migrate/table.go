package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
)

// TableSum is what a table holds: how many rows, and a sum over them that does
// not depend on their order.
type TableSum struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
	Sum  string `json:"sum"`
}

// reportEvery is after how many rows the progress is told.
const reportEvery = 1000

// moveTable copies a table, reads it back and compares.
func (m *Move) moveTable(ctx context.Context, t svc.Table, l svc.Loader, sum *Summary) error {
	var sent, got rowSum
	if err := l.Put(ctx, t, func(yield func([]any, error) bool) {
		for row, err := range m.From.Rows(ctx, t) {
			if err == nil {
				sum.Replaced += replaceUnstorable(row)
				err = sent.add(row)
			}
			if !yield(row, err) || err != nil {
				return
			}
			if sent.rows%reportEvery == 0 {
				m.report(Progress{Stage: StageRecords, What: t.Name, Done: sent.rows})
			}
		}
	}); err != nil {
		return err
	}
	if err := got.addAll(l.Rows(ctx, t)); err != nil {
		return err
	}
	if sent != got {
		return fmt.Errorf("%d rows with the sum %s were sent and %d with %s are there", sent.rows, sent, got.rows, got)
	}
	m.report(Progress{Stage: StageRecords, What: t.Name, Done: sent.rows})
	sum.Tables = append(sum.Tables, TableSum{Name: t.Name, Rows: sent.rows, Sum: sent.String()})
	return nil
}

// replaceUnstorable replaces what not every database can keep in a text: the character with
// number 0, and bytes that are no UTF-8. It says how many texts had some.
func replaceUnstorable(row []any) (replaced int64) {
	const instead = string(utf8.RuneError)
	for i, v := range row {
		text, ok := v.(string)
		if !ok || utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
			continue
		}
		row[i] = strings.ReplaceAll(strings.ToValidUTF8(text, instead), "\x00", instead)
		replaced++
	}
	return replaced
}

// rowSum adds up the SHA-256 of rows, as four numbers that wrap around. Rows of a
// table differ in their key, so no two cancel out.
type rowSum struct {
	rows  int64
	lanes [4]uint64
}

func (s *rowSum) addAll(rows iter.Seq2[[]any, error]) error {
	for row, err := range rows {
		if err == nil {
			err = s.add(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add writes a row down, each value with its kind and length, and adds its hash.
func (s *rowSum) add(row []any) error {
	var buf []byte
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			buf = append(buf, 'n')
		case int64:
			buf = binary.BigEndian.AppendUint64(append(buf, 'i'), uint64(v))
		case string:
			buf = binary.BigEndian.AppendUint64(append(buf, 's'), uint64(len(v)))
			buf = append(buf, v...)
		case []byte:
			buf = binary.BigEndian.AppendUint64(append(buf, 'b'), uint64(len(v)))
			buf = append(buf, v...)
		default:
			return fmt.Errorf("a value of type %T cannot be moved", v)
		}
	}
	hash := sha256.Sum256(buf)
	for i := range s.lanes {
		s.lanes[i] += binary.BigEndian.Uint64(hash[8*i:])
	}
	s.rows++
	return nil
}

func (s rowSum) String() string {
	var out []byte
	for _, lane := range s.lanes {
		out = binary.BigEndian.AppendUint64(out, lane)
	}
	return hex.EncodeToString(out)
}
