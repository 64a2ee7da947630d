-- +goose Up
-- What waits is listed by risk and then by deadline; an approval without one comes last.
CREATE INDEX approvals_urgent ON approvals (
  (CASE risk WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END),
  (CASE expires_at WHEN 0 THEN 9007199254740991 ELSE expires_at END),
  id
) WHERE status = 'pending';

-- +goose Down
DROP INDEX approvals_urgent;
