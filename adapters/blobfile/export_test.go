package blobfile

// SetDisk sets on which file system the folder was.
func (s *Store) SetDisk(n uint64) { s.disk.Store(n) }
