package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
)

// GetStatistics serves GET /api/dashboard/getStatistics.
func (h *Handler) GetStatistics(ctx context.Context, r restgen.GetStatisticsRequestObject) (restgen.GetStatisticsResponseObject, error) {
	s, err := h.Statistics.Dashboard(ctx, callerOf(ctx), valueOr(r.Params.University, ""))
	if err != nil {
		return nil, err
	}
	return restgen.GetStatistics200JSONResponse(respond(ctx, h, h.marketStatisticsOf(s))), nil
}

// GetUserStatistics serves GET /api/user/getUserStatistics.
func (h *Handler) GetUserStatistics(ctx context.Context, _ restgen.GetUserStatisticsRequestObject) (restgen.GetUserStatisticsResponseObject, error) {
	s, err := h.Statistics.ForUser(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	return restgen.GetUserStatistics200JSONResponse(respond(ctx, h, h.userStatisticsOf(s))), nil
}
