package doctor

import "golang.org/x/sys/windows"

// FreeSpace returns the bytes that the program may still write to the file system of a
// folder.
func FreeSpace(dir string) (uint64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return free, err
}

// ownerBesideRoot knows no owner where there is no root.
func ownerBesideRoot(string) string { return "" }
