package workdir

import (
	"fmt"
	"os"
)

// takesRenames says why files from the stage could not be renamed into a
// folder.
func takesRenames(root *os.Root, folder string) error {
	info, err := root.Stat(folder)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", folder)
	}
	return nil
}
