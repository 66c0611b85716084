package migrate

import (
	"context"
	"fmt"
)

// comparedAtOnce is how many keys of the target are held against the records at
// a time: each time costs a walk over all records, and memory for as many keys.
const comparedAtOnce = 1 << 16

// prune removes blobs that an earlier try brought to the target and that no
// record points at any more. The source may have been served between two tries:
// a bundle that was acknowledged then is gone from its records, the ledger of
// what is to be deleted included, and its archive would stay for ever.
//
// Only a target that was empty when this source claimed it is pruned, and only
// while nobody has records there.
func (m *Move) prune(ctx context.Context, sum *BlobSummary) error {
	if err := m.To.CheckEmpty(ctx); err != nil {
		return occupied("database", err)
	}
	stray := map[string]bool{}
	for key, err := range m.ToBlobs.Keys(ctx) {
		if err != nil {
			return err
		}
		if key != claimKey {
			stray[key] = true
		}
		if len(stray) == comparedAtOnce {
			if err := m.removeStray(ctx, stray, sum); err != nil {
				return err
			}
			clear(stray)
		}
	}
	return m.removeStray(ctx, stray, sum)
}

// removeStray removes those of the keys that no record points at.
func (m *Move) removeStray(ctx context.Context, keys map[string]bool, sum *BlobSummary) error {
	if len(keys) == 0 {
		return nil
	}
	for ref, err := range m.From.Blobs(ctx) {
		if err != nil {
			return err
		}
		delete(keys, ref.Key)
	}
	for key := range keys {
		if err := m.ToBlobs.Delete(ctx, key); err != nil {
			return fmt.Errorf("remove what an earlier try left: %w", err)
		}
		sum.Removed++
	}
	return nil
}
