package backup

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
)

// abandonedAfter is how long an incomplete backup may still be in the making.
const abandonedAfter = 24 * time.Hour

// DeleteOld deletes, after Finish, the complete backups except the newest keepLast ones (0 keeps
// all), and what was left of backups that were interrupted more than a day ago. It never deletes
// its own, even if the clock was set back. It returns the names of the complete ones.
func (u *Upload) DeleteOld(ctx context.Context, now time.Time, keepLast int) (deleted []string, err error) {
	b := u.bucket
	folders, err := b.folders(ctx)
	if err != nil {
		return nil, err
	}
	newestFirst := slices.SortedFunc(maps.Keys(folders), func(x, y string) int { return strings.Compare(y, x) })
	complete := 0
	for _, name := range newestFirst {
		f := folders[name]
		whole := f.complete()
		if whole {
			complete++
		}
		switch {
		case name == u.Name, whole && (keepLast == 0 || complete <= keepLast):
			continue
		case !whole && now.Sub(f.newest()) < abandonedAfter:
			continue
		}
		if err := b.delete(ctx, f); err != nil {
			return deleted, err
		}
		if whole {
			deleted = append(deleted, name)
		}
	}
	return deleted, b.objects.AbortUploads(ctx, now.Add(-abandonedAfter))
}

// delete deletes the manifest first: without it, what an interruption leaves is no backup.
func (b *Bucket) delete(ctx context.Context, f folder) error {
	isManifest := func(name string) bool { return strings.HasSuffix(name, "/"+manifestName) }
	for _, manifests := range []bool{true, false} {
		for _, o := range f {
			if isManifest(o.Name) == manifests {
				if err := b.objects.DeleteObject(ctx, o.Name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
