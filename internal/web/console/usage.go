package console

import (
	"net/http"
	"strconv"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/generation"
)

// usagePage is what the page of usage shows.
type usagePage struct {
	Days      int
	Daily     []svc.DayUsage // oldest first
	Total     svc.DayUsage
	Allowance generation.Allowance
	Standing  delivery.Standing
	Plots     plots
}

// Spans are the choices of the filter.
func (usagePage) Spans() []int { return []int{7, 30, 90} }

// Newest are the days on which something happened, newest first.
func (u usagePage) Newest() []svc.DayUsage {
	var days []svc.DayUsage
	for i := len(u.Daily) - 1; i >= 0; i-- {
		if d := u.Daily[i]; d.Runs > 0 || d.Downloads > 0 {
			days = append(days, d)
		}
	}
	return days
}

// plots are the same figures in columns, for the script that draws them.
type plots struct {
	Days      []int64   `json:"days"` // seconds since 1970
	Runs      []int64   `json:"runs"`
	Failed    []int64   `json:"failed"`
	Input     []int64   `json:"input"`
	Output    []int64   `json:"output"`
	Cost      []float64 `json:"cost"`
	Downloads []int64   `json:"downloads"`
}

func (s *homeHandlers) usage(w http.ResponseWriter, r *http.Request, v *visit) error {
	u := usagePage{Days: 30}
	if n, err := strconv.Atoi(r.URL.Query().Get("days")); err == nil && (n == 7 || n == 90) {
		u.Days = n
	}
	var err error
	if u.Daily, err = s.Accounts.Usage(r.Context(), v.account.ID, u.Days); err != nil {
		return err
	}
	if u.Allowance, err = s.Generations.Allowance(r.Context(), v.account); err != nil {
		return err
	}
	if u.Standing, err = s.Delivery.Standing(r.Context(), v.account.ID); err != nil {
		return err
	}
	for _, d := range u.Daily {
		u.Total.Runs += d.Runs
		u.Total.Succeeded += d.Succeeded
		u.Total.Failed += d.Failed
		u.Total.InputTokens += d.InputTokens
		u.Total.OutputTokens += d.OutputTokens
		u.Total.CostUSD += d.CostUSD
		u.Total.Downloads += d.Downloads
		u.Plots.Days = append(u.Plots.Days, d.Day.Unix())
		u.Plots.Runs = append(u.Plots.Runs, d.Runs)
		u.Plots.Failed = append(u.Plots.Failed, d.Failed)
		u.Plots.Input = append(u.Plots.Input, d.InputTokens)
		u.Plots.Output = append(u.Plots.Output, d.OutputTokens)
		u.Plots.Cost = append(u.Plots.Cost, d.CostUSD)
		u.Plots.Downloads = append(u.Plots.Downloads, d.Downloads)
	}
	return s.render(w, r, v, http.StatusOK, "usage", page{Title: "Usage", Section: "usage", Script: "usage.js", Body: u})
}
