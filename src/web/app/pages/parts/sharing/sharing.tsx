import { remember, useData } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import type { Sharing as Link } from "../../../api/schema.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyField } from "../../../ui/copy.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Checkbox } from "../../../ui/field.tsx";
import { Problem, Skeleton } from "../../../ui/notice.tsx";
import { told, useTask } from "../../../ui/task.ts";
import { embedCode, linkOf } from "./link.ts";

interface SharingProps {
  what: "dashboard" | "insight";
  projectId: number;
  id: number;
  name: string;
  onClose(): void;
}

/** Turns the link on and off, copies it and its embed code, and makes another. */
export function Sharing({ what, projectId, id, name, onClose }: SharingProps) {
  const key = `sharing/${projectId}/${what}/${id}`;
  const params = { project_id: String(projectId), id };
  const path = `/api/environments/{project_id}/${what}s/{id}/sharing/` as const;
  const known = useData(key, () => call(`GET ${path}`, { params }));
  const task = useTask();
  const change = (changing: Promise<Link>) => task.run(() => told(async () => remember(key, await changing)));
  const patch = (body: { enabled?: boolean; settings?: Partial<Link["settings"]> }) =>
    void change(call(`PATCH ${path}`, { params, body }));
  const link = known.data;
  return (
    <Dialog title={`Share ${what}`} onClose={onClose}>
      {known.error !== undefined && <Problem error={known.error} />}
      {link === undefined && known.error === undefined && <Skeleton heightPx={120} />}
      {link !== undefined && (
        <div class="sharing" aria-busy={task.isBusy}>
          <Checkbox
            label={`Anybody with the link can see this ${what}`}
            isOn={link.enabled}
            onChange={(enabled) => patch({ enabled })}
          />
          {link.enabled ? (
            <>
              <CopyField label="Link" value={linkOf(window.location.origin, link.access_token)} />
              <CopyField label="Embed code" value={embedCode(window.location.origin, link.access_token, name)} />
              <Checkbox
                label="Viewers may pick other dates"
                isOn={link.settings.viewer_dates}
                onChange={(viewer_dates) => patch({ settings: { viewer_dates } })}
              />
              <Checkbox
                label="Viewers see annotations"
                isOn={link.settings.annotations}
                onChange={(annotations) => patch({ settings: { annotations } })}
              />
              <div class="sharing-new">
                <p class="tile-note">With a new link the old one stops working, also where it is embedded.</p>
                <Button
                  isBusy={task.isBusy}
                  icon="refresh"
                  onClick={() => void change(call(`POST ${path}refresh/`, { params }))}
                >
                  New link
                </Button>
              </div>
            </>
          ) : (
            <p class="tile-note">
              Only people who log in to this project can see it now.
              {what === "dashboard" && " Its insights that are shared by themselves stay open by their own links."}
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}
