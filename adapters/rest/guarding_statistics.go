package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
)

// GetStatistics serves GET /api/dashboard/getStatistics.
func (h *Handler) GetStatistics(ctx context.Context, r restgen.GetStatisticsRequestObject) (restgen.GetStatisticsResponseObject, error) {
	s, err := h.Statistics.Dashboard(ctx, callerOf(ctx), valueOr(r.Params.University, ""))
	return reply[restgen.GetStatistics200JSONResponse](ctx, h, s, err, h.marketStatisticsOf)
}

// GetUserStatistics serves GET /api/user/getUserStatistics.
func (h *Handler) GetUserStatistics(
	ctx context.Context, _ restgen.GetUserStatisticsRequestObject,
) (restgen.GetUserStatisticsResponseObject, error) {
	s, err := h.Statistics.ForUser(ctx, callerOf(ctx))
	return reply[restgen.GetUserStatistics200JSONResponse](ctx, h, s, err, h.userStatisticsOf)
}
