import { Type } from "@sinclair/typebox";
import {
  type Change,
  ensureLink,
  findLink,
  refreshLinkToken,
  type SharedKind,
  type SharedLink,
  updateLink,
} from "../../metadata/mod.ts";
import { nullable, object, TIME, text } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { members } from "../http/compound.ts";
import { boolean, nullable as nullableField, readFields } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { type Controlled, requireEditor } from "../serve/access.ts";
import { renewed } from "../serve/guard.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import type { Entity } from "./description.ts";
import type { Resource } from "./resource.ts";
import { shape } from "./shape.ts";

const SETTINGS_FIELDS = { viewer_dates: boolean(), annotations: boolean() };
const FIELDS = {
  enabled: boolean(),
  settings: nullableField(
    members({
      viewer_dates: { field: SETTINGS_FIELDS.viewer_dates },
      annotations: { field: SETTINGS_FIELDS.annotations },
    }),
  ),
};

export const LINK_SETTINGS = object("SharingSettings", {
  viewer_dates: Type.Boolean({ description: "Whether those who open the link may ask for other dates." }),
  annotations: Type.Boolean({ description: "Whether they see the annotations on its charts." }),
});
export const linkSettings = ({ viewerDates, annotations }: SharedLink) => ({ viewer_dates: viewerDates, annotations });

const SHARING = shape<SharedLink>("Sharing", {
  created_at: nullable(TIME),
  enabled: Type.Boolean(),
  access_token: text(),
  settings: [LINK_SETTINGS, linkSettings],
});

type Shared = Entity & Controlled & { teamId: number };

/** Throws ApiError 403 where a link to the record would open what is closed to the caller. */
type CheckOpen<T> = (tx: Tx, call: EnvironmentCall, record: T) => Promise<void>;

/** The routes by which records of one kind are shared with those who have a link. */
export function sharingRoutes<T extends Shared, V extends object, S>(
  resource: Resource<T, V, EnvironmentCall, S>,
  kind: SharedKind,
  checkOpen?: CheckOpen<T>,
): HandledBy<EnvironmentCall>[] {
  const sharing = new Sharing(resource, kind, checkOpen);
  const base = `${resource.description.path}/:id/sharing/`;
  const one = kind === "insight" ? "an insight" : "a dashboard";
  const responses = { 200: SHARING.schema };
  return [
    {
      method: "GET",
      path: base,
      summary: `How ${one} is shared`,
      scope: "sharing_configuration:read",
      responses,
      handle: (call) => sharing.retrieve(call),
    },
    {
      method: "PATCH",
      path: base,
      summary: `Share ${one} by a link, or stop sharing it; say whether its viewers may pick dates, and see annotations`,
      scope: "sharing_configuration:write",
      responses,
      body: FIELDS,
      handle: (call) => sharing.patch(call),
    },
    {
      method: "POST",
      path: `${base}refresh/`,
      summary: "Give the link another token; the old one opens nothing any more",
      scope: "sharing_configuration:write",
      responses,
      handle: (call) => sharing.refresh(call),
    },
  ];
}

/** The links of records of one kind. */
class Sharing<T extends Shared, V extends object, S> {
  /** Of an answer 404. */
  private readonly detail: string;

  constructor(
    private readonly resource: Resource<T, V, EnvironmentCall, S>,
    private readonly kind: SharedKind,
    private readonly checkOpen?: CheckOpen<T>,
  ) {
    this.detail = kind === "insight" ? "Insight not found." : "Dashboard not found.";
  }

  async retrieve(call: EnvironmentCall) {
    const key = this.keyOf(await this.resource.find(call, { detail: this.detail }));
    const present = await call.deps.db.read((tx) => findLink(tx, key));
    // The token is shown before it opens anything, and must stay the same.
    const link = present ?? (await call.deps.db.write((tx) => ensureLink(tx, key)));
    return json(SHARING.show(link, null));
  }

  async patch(call: EnvironmentCall) {
    const { enabled, settings } = readFields(FIELDS, await call.body());
    const wished = readFields(SETTINGS_FIELDS, settings ?? {});
    return this.change(call, async (tx, { own, record, link }) => {
      const before = linkSettings(link);
      const { viewer_dates: viewerDates = link.viewerDates, annotations = link.annotations } = wished;
      const after = { viewer_dates: viewerDates, annotations };
      const isOn = enabled ?? link.enabled;
      if (isOn && !link.enabled) await this.checkOpen?.(tx, own, record);
      await updateLink(tx, this.keyOf(record), { enabled: isOn, viewerDates, annotations, nowMs: call.nowMs });
      if (isOn !== link.enabled) {
        const activity = isOn ? "sharing enabled" : "sharing disabled";
        await this.resource.record(tx, call, record, activity, [this.changed("sharing", link.enabled, isOn)]);
      }
      const changes = (Object.keys(before) as (keyof typeof before)[])
        .filter((name) => after[name] !== before[name])
        .map((name) => this.changed(name, before[name], after[name]));
      if (changes.length > 0) await this.resource.record(tx, call, record, "sharing changed", changes);
    });
  }

  refresh(call: EnvironmentCall) {
    return this.change(call, async (tx, { record }) => {
      await refreshLinkToken(tx, this.keyOf(record));
      await this.resource.record(tx, call, record, "access token refreshed");
    });
  }

  /** Applies a change to the link of the record that the path names. */
  private async change(
    call: EnvironmentCall,
    apply: (tx: Tx, o: { own: EnvironmentCall; record: T; link: SharedLink }) => Promise<void>,
  ) {
    const link = await call.deps.db.write(async (tx) => {
      const own = await renewed(tx, call);
      const record = await this.resource.findToChange(tx, own, { detail: this.detail });
      requireEditor(own.caller, this.kind, record);
      await apply(tx, { own, record, link: await ensureLink(tx, this.keyOf(record)) });
      return findLink(tx, this.keyOf(record));
    });
    return json(SHARING.show(link!, null));
  }

  private keyOf({ id, teamId }: T) {
    return { kind: this.kind, itemId: id, teamId };
  }

  private changed(field: string, before: boolean, after: boolean): Change {
    return { type: this.resource.description.log, action: "changed", field, before, after };
  }
}
