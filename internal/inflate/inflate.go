// Package inflate undoes deflate (RFC 1951) where both sides are in memory and
// both sizes are known beforehand, as they are in a ZIP.
//
// Its law: the output is filled exactly and the input is used up exactly, or
// there is an error; nothing outside of the two is read or written, whatever the
// input says. It is about twice as fast as decoders that read a stream byte by
// byte, because it looks at eight bytes at a time and writes every byte once.
package inflate

import (
	"encoding/binary"
	"errors"
)

// What can be wrong with an input.
var (
	// ErrCorrupt says that the input is not deflated data.
	ErrCorrupt = errors.New("the compressed data is damaged")
	// ErrShort says that the data ends before the output is full.
	ErrShort = errors.New("the content is shorter than declared")
	// ErrLong says that the data goes on after the output is full.
	ErrLong = errors.New("the content is longer than declared")
	// ErrTrailing says that bytes follow the end of the data.
	ErrTrailing = errors.New("something follows the compressed data")
)

// Decoder keeps the tables of a decoder from one call to the next. Its zero
// value is ready; it must not be used by two goroutines at once.
type Decoder struct {
	literals  [literalSpace]entry
	distances [distanceSpace]entry
	lengths   [maxLiterals + maxDistances]uint8

	src, dst []byte
	pos      int    // of the next byte of src that is not in bits
	out      int    // of the next byte of dst
	bits     uint64 // read and not used, the next one lowest
	count    uint   // how many of them count
}

// Decode inflates src, which must end with its last block, into dst, which must
// come out exactly full.
func (d *Decoder) Decode(dst, src []byte) error {
	d.src, d.dst, d.pos, d.out, d.bits, d.count = src, dst, 0, 0, 0, 0
	defer func() { d.src, d.dst = nil, nil }()
	for last := false; !last; {
		d.refill()
		last = d.take(1) == 1
		var err error
		switch d.take(2) {
		case 0:
			err = d.stored()
		case 1:
			d.fixedTables()
			err = d.block()
		case 2:
			if err = d.readTables(); err == nil {
				err = d.block()
			}
		default:
			err = ErrCorrupt
		}
		// Beyond its end the input reads as zeros, so that being at its end
		// need not be asked about at every bit.
		if d.used() > len(src) {
			return ErrShort
		}
		if err != nil {
			return err
		}
	}
	switch {
	case d.out < len(dst):
		return ErrShort
	case d.used() < len(src):
		return ErrTrailing
	}
	return nil
}

// used is how many bytes of the input have been used, the last one perhaps in
// part.
func (d *Decoder) used() int { return d.pos - int(d.count>>3) }

// refill makes at least 56 bits count.
func (d *Decoder) refill() {
	for d.count <= 56 {
		if d.pos < len(d.src) {
			d.bits |= uint64(d.src[d.pos]) << d.count
		}
		d.pos++
		d.count += 8
	}
}

// take uses up n of the bits that count.
func (d *Decoder) take(n uint) uint32 {
	v := uint32(d.bits & (1<<n - 1))
	d.bits >>= n
	d.count -= n
	return v
}

// stored copies a block that is not compressed.
func (d *Decoder) stored() error {
	d.take(d.count & 7) // to the next whole byte
	d.refill()
	size := int(d.take(16))
	if size^0xffff != int(d.take(16)) {
		return ErrCorrupt
	}
	// What was looked at beyond the header goes back.
	d.pos, d.bits, d.count = d.used(), 0, 0
	switch {
	case size > len(d.src)-d.pos:
		d.pos = len(d.src) + 1
		return ErrShort
	case size > len(d.dst)-d.out:
		return ErrLong
	}
	copy(d.dst[d.out:], d.src[d.pos:d.pos+size])
	d.out += size
	d.pos += size
	return nil
}

// longestMatch is the most that one symbol can write.
const longestMatch = 258

// block decodes the symbols of a block with the tables that are set.
func (d *Decoder) block() error {
	for {
		if ended, err := d.fast(); ended || err != nil {
			return err
		}
		if ended, err := d.symbol(); ended || err != nil {
			return err
		}
	}
}

// symbol decodes one symbol with care about both ends.
func (d *Decoder) symbol() (ended bool, err error) {
	if d.used() > len(d.src) {
		return false, ErrShort
	}
	d.refill()
	e := d.literals[d.bits&literalMask]
	if e.is(subtable) {
		d.take(literalBits)
		e = d.literals[e.value()+int(d.bits&(1<<e.extra()-1))]
	}
	d.take(e.length())
	switch {
	case e.is(literal):
		if d.out == len(d.dst) {
			return false, ErrLong
		}
		d.dst[d.out] = byte(e.value())
		d.out++
		return false, nil
	case e.is(endOfBlock):
		return true, nil
	case e.is(invalid):
		return false, ErrCorrupt
	}
	size := e.value() + int(d.take(e.extra()))
	e = d.distances[d.bits&distanceMask]
	if e.is(subtable) {
		d.take(distanceBits)
		e = d.distances[e.value()+int(d.bits&(1<<e.extra()-1))]
	}
	if e.is(invalid) {
		return false, ErrCorrupt
	}
	d.take(e.length())
	distance := e.value() + int(d.take(e.extra()))
	switch {
	case distance > d.out:
		return false, ErrCorrupt
	case size > len(d.dst)-d.out:
		return false, ErrLong
	}
	for range size {
		d.dst[d.out] = d.dst[d.out-distance]
		d.out++
	}
	return false, nil
}

// fast decodes symbols as long as both ends are far away, which most of the
// time they are. It is one long function because the compiler keeps its
// variables in registers only so.
func (d *Decoder) fast() (ended bool, err error) {
	const (
		// room for three literals and a match that is copied eight bytes at a
		// time, the last of them too many
		outputRoom = 3 + longestMatch + 8
		inputRoom  = 16
	)
	src, dst, pos, out, bits, count := d.src, d.dst, d.pos, d.out, d.bits, d.count
decoding:
	for pos+inputRoom <= len(src) && out+outputRoom <= len(dst) {
		bits |= binary.LittleEndian.Uint64(src[pos:]) << (count & 63)
		pos += int((63 - count) >> 3)
		count |= 56

		// Up to three literals, 45 bits at most, go with one look at the input.
		e := d.literals[bits&literalMask]
		if e.is(literal) {
			bits >>= e.length()
			count -= e.length()
			dst[out] = byte(e.value())
			out++
			if e = d.literals[bits&literalMask]; e.is(literal) {
				bits >>= e.length()
				count -= e.length()
				dst[out] = byte(e.value())
				out++
				if e = d.literals[bits&literalMask]; e.is(literal) {
					bits >>= e.length()
					count -= e.length()
					dst[out] = byte(e.value())
					out++
					continue
				}
			}
			bits |= binary.LittleEndian.Uint64(src[pos:]) << (count & 63)
			pos += int((63 - count) >> 3)
			count |= 56
		}
		if e.is(subtable) {
			bits >>= literalBits
			count -= literalBits
			e = d.literals[(e.value()+int(bits&(1<<e.extra()-1)))&(literalReach-1)]
		}
		bits >>= e.length()
		count -= e.length()
		if e.is(literal | endOfBlock | invalid) {
			switch {
			case e.is(literal):
				dst[out] = byte(e.value())
				out++
				continue
			case e.is(endOfBlock):
				ended = true
			default:
				err = ErrCorrupt
			}
			break decoding
		}
		// A match takes at most 48 of the 56 bits.
		size := e.value() + int(bits&(1<<e.extra()-1))
		bits >>= e.extra()
		count -= e.extra()
		e = d.distances[bits&distanceMask]
		if e.is(subtable) {
			bits >>= distanceBits
			count -= distanceBits
			e = d.distances[(e.value()+int(bits&(1<<e.extra()-1)))&(distanceReach-1)]
		}
		bits >>= e.length()
		count -= e.length()
		distance := e.value() + int(bits&(1<<e.extra()-1))
		bits >>= e.extra()
		count -= e.extra()
		if e.is(invalid) || distance > out {
			err = ErrCorrupt
			break
		}
		from, end := out-distance, out+size
		if distance >= 8 {
			for out < end {
				binary.LittleEndian.PutUint64(dst[out:], binary.LittleEndian.Uint64(dst[from:]))
				out += 8
				from += 8
			}
		} else {
			for ; out < end; out++ {
				dst[out] = dst[from]
				from++
			}
		}
		out = end
	}
	d.pos, d.out, d.bits, d.count = pos, out, bits, count
	return ended, err
}
