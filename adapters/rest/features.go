package rest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gin-gonic/gin"
)

// feature is what a file brings beside its operations. Those have the names of the document, by which
// the generated router finds them.
type feature struct {
	// raw are operations whose answers are no JSON envelope, by their IDs. They are written by hand, and
	// oapi-codegen.yaml excludes them.
	raw map[string]gin.HandlerFunc
	// streams are the same without a request timeout, by their paths: their handlers bound each read and write.
	streams map[string]gin.HandlerFunc
	rules   rules
}

// features lists what files bring beside their operations. A file that brings nothing else is not in it.
func (h *Handler) features() []feature {
	return []feature{
		h.documentOperations(),
		h.accountOperations(), h.peopleOperations(),
		h.listingOperations(), h.importOperations(), h.photoOperations(), priceOperations,
		requestOperations, h.courseOperations(),
		checkoutOperations, h.orderAdminOperations(),
		conversationOperations, h.streamOperations(), pushOperations,
		reportOperations,
	}
}

// addFeatures collects what the features bring.
func (h *Handler) addFeatures() error {
	h.raw, h.rules = map[string]gin.HandlerFunc{}, rules{}
	byID, byPath := map[string]bool{}, map[string]string{}
	for _, op := range h.document.Operations {
		byID[op.ID], byPath[op.Pattern] = true, op.ID
	}
	for _, f := range h.features() {
		maps.Copy(h.raw, f.raw)
		maps.Copy(h.rules, f.rules)
		for path, handle := range f.streams {
			h.raw[byPath[path]] = handle
		}
	}
	for _, id := range slices.Concat(slices.Collect(maps.Keys(h.raw)), slices.Collect(maps.Keys(h.rules))) {
		if !byID[id] {
			return fmt.Errorf("rest: the document has no operation %q", id)
		}
	}
	return nil
}

// StreamPaths returns the paths without a request timeout.
func StreamPaths() (paths []string) {
	for _, f := range new(Handler).features() {
		paths = slices.AppendSeq(paths, maps.Keys(f.streams))
	}
	return paths
}
