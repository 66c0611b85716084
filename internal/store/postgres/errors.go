package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/diskfull"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

// The conditions of PostgreSQL that mean something here, by their SQLSTATE.
const (
	stateSerialization   = "40001"
	stateDeadlock        = "40P01"
	stateUnique          = "23505"
	stateForeignKey      = "23503"
	stateCharacter       = "22021"
	stateReadOnly        = "25006"
	stateTooManyClients  = "53300"
	stateDiskFull        = "53100"
	stateMissingDatabase = "3D000"
	statePassword        = "28P01"
	stateNoStatement     = "26000"
	stateStatementTwice  = "42P05"
)

// errSilent is the cause of a question that was given up.
var errSilent = errors.New("the database gives no answer")

func stateOf(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// isRace says whether an error is the database's wish that the work be tried
// again. A name that is taken is one too: statements look before they insert,
// so only one who came at the same moment can have taken it.
func isRace(err error) bool {
	switch stateOf(err) {
	case stateSerialization, stateDeadlock, stateUnique:
		return true
	}
	return false
}

// isOutage says whether an error is the server's state or the way to it, and
// nothing that was asked: the connection is refused or broken, the server starts,
// stops, has no connection, no memory or no disk to spare, or only reads.
func isOutage(err error) bool {
	if state := stateOf(err); len(state) == len(stateReadOnly) {
		switch state[:2] {
		case "08", "53", "58": // connection, resources, system
			return true
		}
		return state == stateReadOnly || strings.HasPrefix(state, "57P")
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	_, refused := errors.AsType[*pgconn.ConnectError](err)
	return refused || pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// explain turns an error of the driver into one that says what it means here.
func explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return svc.ErrNotFound
	}
	if errors.Is(context.Cause(ctx), errSilent) {
		return fmt.Errorf("%w: %w: %w", svc.ErrUnavailable, errSilent, err)
	}
	if ended := ctx.Err(); ended != nil {
		if errors.Is(err, ended) {
			return err
		}
		return fmt.Errorf("%w: %w", ended, err)
	}
	if isOutage(err) {
		err = fmt.Errorf("%w: %w", svc.ErrUnavailable, err)
	}
	switch stateOf(err) {
	case stateUnique:
		return fmt.Errorf("%w: %w", svc.ErrConflict, err)
	case stateForeignKey:
		return fmt.Errorf("%w: the record's owner does not exist: %w", svc.ErrNotFound, err)
	case stateCharacter:
		refused := svc.Errorf(svc.CodeInvalidRequest, "The text holds a character that cannot be stored.")
		refused.Hint = "Remove NUL characters and bytes that are not UTF-8, and send it again."
		refused.Field, refused.Err = "body", err
		return refused
	case stateReadOnly:
		return fmt.Errorf("the database takes no writes; point the address at the primary server: %w", err)
	case stateTooManyClients:
		return fmt.Errorf("the database has no connection to spare; lower pool_max_conns in the address, or raise the server's max_connections: %w", err)
	case stateDiskFull:
		return fmt.Errorf("the disk of the database is full and nothing was changed; make room and try again: %w", err)
	case stateMissingDatabase:
		return fmt.Errorf("there is no such database; make it with createdb, or correct the address: %w", err)
	case statePassword:
		return fmt.Errorf("the database refuses this user or password; correct the address: %w", err)
	case stateNoStatement, stateStatementTwice:
		return fmt.Errorf("a pooler before the database mixes prepared statements up; put "+chosenMode+"=exec into the address, "+
			"or let the pooler keep prepared statements (max_prepared_statements of pgbouncer): %w", err)
	}
	return err
}

// noteFull remembers a write that was refused for want of room.
func noteFull(full *diskfull.Recent, err error) error {
	if stateOf(err) == stateDiskFull {
		full.Note()
	}
	return err
}

// within says what was being done when an error came up.
func within(doing string, err error) error { return sqlshared.Within(doing, err) }
