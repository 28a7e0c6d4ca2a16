import { useState } from "preact/hooks";
import { remember, useData } from "../../api/cache.ts";
import { call, type Options, type Route } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { messageOf, Problem, Skeleton } from "../../ui/notice.tsx";
import { toast } from "../../ui/toast.tsx";
import { embedCode, linkOf } from "./link.ts";

interface SharingProps {
  what: "dashboard" | "insight";
  projectId: number;
  id: number;
  name: string;
  onClose(): void;
}

/** The link of a dashboard or an insight, by which anybody can see it without a login. */
interface Link {
  enabled: boolean;
  access_token: string;
  settings?: { viewer_dates: boolean };
}

/** Turns the link on and off, copies it and its embed code, and makes another. */
export function Sharing({ what, projectId, id, name, onClose }: SharingProps) {
  const key = `sharing/${projectId}/${what}/${id}`;
  const path = `/api/environments/{project_id}/${what}s/{id}/sharing/`;
  const ask = (method: "GET" | "PATCH" | "POST", suffix = "", body?: object) => {
    const options = { params: { project_id: String(projectId), id }, ...(body !== undefined && { body }) };
    return call(`${method} ${path}${suffix}` as Route, options as Options<Route>) as unknown as Promise<Link>;
  };
  const known = useData(key, () => ask("GET"));
  const [isBusy, setBusy] = useState(false);
  const change = async (changing: Promise<Link>) => {
    setBusy(true);
    try {
      remember(key, await changing);
    } catch (error) {
      toast(messageOf(error), { isProblem: true });
    }
    setBusy(false);
  };
  const link = known.data;
  return (
    <Dialog title={`Share ${what}`} onClose={onClose}>
      {known.error !== undefined && <Problem error={known.error} />}
      {link === undefined && known.error === undefined && <Skeleton heightPx={120} />}
      {link !== undefined && (
        <div class="sharing" aria-busy={isBusy}>
          <Checkbox
            label={`Anybody with the link can see this ${what}`}
            isOn={link.enabled}
            onChange={(enabled) => void change(ask("PATCH", "", { enabled }))}
          />
          {link.enabled ? (
            <>
              <CopyField label="Link" value={linkOf(window.location.origin, link.access_token)} />
              <CopyField label="Embed code" value={embedCode(window.location.origin, link.access_token, name)} />
              <Checkbox
                label="Those who open it may pick other dates"
                isOn={link.settings?.viewer_dates ?? false}
                onChange={(viewer_dates) => void change(ask("PATCH", "", { settings: { viewer_dates } }))}
              />
              <div class="sharing-new">
                <p class="tile-note">With a new link the old one stops working, also where it is embedded.</p>
                <Button isBusy={isBusy} icon="refresh" onClick={() => void change(ask("POST", "refresh/"))}>
                  New link
                </Button>
              </div>
            </>
          ) : (
            <p class="tile-note">Only people who log in to this project can see it now.</p>
          )}
        </div>
      )}
    </Dialog>
  );
}
