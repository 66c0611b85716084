package sqlite

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"
)

// bind gives a statement its arguments. To SQLite $1 is a name like any other:
// it numbers names in the order in which they first come.
func bind(s *sqlite.Stmt, args []any) error {
	for i := 1; i <= s.BindParamCount(); i++ {
		name := s.BindParamName(i)
		n, err := strconv.Atoi(strings.TrimPrefix(name, "$"))
		if err != nil || n < 1 || n > len(args) {
			return fmt.Errorf("no argument is given for %q", name)
		}
		switch v := args[n-1].(type) {
		case nil:
			s.BindNull(i)
		case string:
			s.BindText(i, v)
		case []byte:
			s.BindBytes(i, v)
		case bool:
			s.BindBool(i, v)
		default:
			switch r := reflect.ValueOf(v); {
			case r.CanInt():
				s.BindInt64(i, r.Int())
			case r.Kind() == reflect.String:
				s.BindText(i, r.String())
			default:
				return fmt.Errorf("the argument for %s is a %T, which has no place in a column", name, v)
			}
		}
	}
	return nil // an argument that cannot be bound is an error of the first step
}

// scan reads a column into the place that to points at, which must be of its
// type: NULL goes where bytes go, or to a [sql.Scanner].
func scan(s *sqlite.Stmt, i int, to any) error {
	switch to := to.(type) {
	case *any:
		*to = value(s, i)
		return nil
	case sql.Scanner:
		return to.Scan(value(s, i))
	}
	place := reflect.ValueOf(to).Elem()
	switch stored, kind := s.ColumnType(i), place.Kind(); {
	case stored == sqlite.TypeText && kind == reflect.String:
		place.SetString(s.ColumnText(i))
	case stored == sqlite.TypeInteger && place.CanInt():
		place.SetInt(s.ColumnInt64(i))
	case stored == sqlite.TypeInteger && kind == reflect.Bool:
		place.SetBool(s.ColumnBool(i))
	case (stored == sqlite.TypeFloat || stored == sqlite.TypeInteger) && place.CanFloat():
		place.SetFloat(s.ColumnFloat(i))
	case stored == sqlite.TypeBlob && kind == reflect.Slice:
		place.SetBytes(blob(s, i))
	case stored == sqlite.TypeNull && kind == reflect.Slice:
		place.SetZero()
	default:
		return fmt.Errorf("a value of type %v is no %v", stored, place.Type())
	}
	return nil
}

// value is what a column holds, as [sql.Scanner] takes it.
func value(s *sqlite.Stmt, i int) any {
	switch s.ColumnType(i) {
	case sqlite.TypeInteger:
		return s.ColumnInt64(i)
	case sqlite.TypeFloat:
		return s.ColumnFloat(i)
	case sqlite.TypeText:
		return s.ColumnText(i)
	case sqlite.TypeBlob:
		return blob(s, i)
	default: // NULL
		return nil
	}
}

func blob(s *sqlite.Stmt, i int) []byte {
	b := make([]byte, s.ColumnLen(i))
	s.ColumnBytes(i, b)
	return b
}

// listText is a list as SQLite's json_each takes it apart.
func listText[T []string | []int64](v T) (string, error) {
	if v == nil {
		return "[]", nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("write a list as JSON: %w", err)
	}
	return string(text), nil
}
