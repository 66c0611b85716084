package bundlezip

import "sync"

// maxKept is how many bytes of verified content are kept in memory: as many as
// a project may have that is packaged anew. Such a bundle is inflated once, when
// it is checked; what does not fit is inflated again when it is read.
const maxKept = 25 << 20

// keeper holds contents by the names of their entries. Check fills it from
// several goroutines; afterwards it is only read.
type keeper struct {
	mu       sync.Mutex
	contents map[string][]byte
	bytes    int64
}

// room says whether so many bytes may still be kept, and counts them if so.
func (k *keeper) room(size int64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bytes+size > maxKept {
		return false
	}
	k.bytes += size
	return true
}

func (k *keeper) put(entry string, content []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.contents == nil {
		k.contents = map[string][]byte{}
	}
	k.contents[entry] = content
}

func (k *keeper) get(entry string) ([]byte, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	content, ok := k.contents[entry]
	return content, ok
}
