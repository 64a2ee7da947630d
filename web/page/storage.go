package page

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/site"
)

// maxLeftovers is how many deleted chats the page lists.
const maxLeftovers = 200

// Storage shows what is saved, and what is left of deleted chats.
type Storage struct {
	*site.Site
}

// Show is the page at /admin/storage.
func (s *Storage) Show(c echo.Context) error {
	ctx, tr := c.Request().Context(), site.Words(c)
	made, err := s.Store.LastBackup(ctx)
	if err != nil {
		return err
	}
	left, err := s.Store.Leftovers(ctx, maxLeftovers)
	if err != nil {
		return err
	}
	props := page.StorageProps{Backup: backupRow(tr, made), Leftovers: left}
	return s.Render(c, http.StatusOK, page.Storage(s.Shell(c, tr.T("page.title.storage"), "storage"), props))
}

func backupRow(tr *text.Printer, made *agent.Backup) *page.BackupRow {
	if made == nil {
		return nil
	}
	row := &page.BackupRow{At: made.At, Bytes: text.Bytes(made.Bytes), Files: tr.T("page.storage.files", made.Files)}
	for _, m := range made.Missing {
		row.Missing = append(row.Missing, page.MissingFile{Name: m.Name, Because: cmp.Or(m.Detail, missingReason(tr, m.Why))})
	}
	if made.More > 0 {
		row.More = tr.T("page.storage.more", made.More)
	}
	return row
}

func missingReason(tr *text.Printer, why agent.MissingReason) string {
	switch why {
	case agent.MissingTooLarge:
		return tr.T("page.storage.too_large")
	case agent.MissingTooDeep:
		return tr.T("page.storage.too_deep")
	default:
		return string(why)
	}
}
