package postgres

import "context"

// RolledBack is how many transactions of the database were rolled back so far.
func RolledBack(ctx context.Context, s *Store) (n int64, err error) {
	if _, err = s.pool.Exec(ctx, `SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()`); err != nil {
		return 0, err
	}
	err = s.pool.QueryRow(ctx, `SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()`).Scan(&n)
	return n, err
}
