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

/**
 * The routes by which records of one kind are shared with those who have a link. `checkOpen`: throws ApiError 403 where a link would
 * open what is closed to the caller.
 */
export function sharingRoutes<T extends Shared, V extends object, S>(
  resource: Resource<T, V, EnvironmentCall, S>,
  kind: SharedKind,
  checkOpen?: (tx: Tx, call: EnvironmentCall, record: T) => Promise<void>,
): HandledBy<EnvironmentCall>[] {
  const { path } = resource.description;
  const base = `${path}/:id/sharing/`;
  const one = kind === "insight" ? "an insight" : "a dashboard";
  const detail = kind === "insight" ? "Insight not found." : "Dashboard not found.";
  const keyOf = ({ id, teamId }: T) => ({ kind, itemId: id, teamId });

  /** Applies a change to the link of the record that the path names. */
  async function change(
    call: EnvironmentCall,
    apply: (tx: Tx, o: { own: EnvironmentCall; record: T; link: SharedLink }) => Promise<void>,
  ) {
    const link = await call.deps.db.write(async (tx) => {
      const own = await renewed(tx, call);
      const record = await resource.findToChange(tx, own, { detail });
      requireEditor(own.caller, kind, record);
      await apply(tx, { own, record, link: await ensureLink(tx, keyOf(record)) });
      return findLink(tx, keyOf(record));
    });
    return json(SHARING.show(link!, null));
  }

  return [
    {
      method: "GET",
      path: base,
      summary: `How ${one} is shared`,
      scope: "sharing_configuration:read",
      responses: { 200: SHARING.schema },
      async handle(call) {
        const key = keyOf(await resource.find(call, { detail }));
        const present = await call.deps.db.read((tx) => findLink(tx, key));
        // The token is shown before it opens anything, and must stay the same.
        const link = present ?? (await call.deps.db.write((tx) => ensureLink(tx, key)));
        return json(SHARING.show(link, null));
      },
    },
    {
      method: "PATCH",
      path: base,
      summary: `Share ${one} by a link, or stop sharing it; say whether its viewers may pick dates, and see annotations`,
      scope: "sharing_configuration:write",
      responses: { 200: SHARING.schema },
      body: FIELDS,
      async handle(call) {
        const { enabled, settings } = readFields(FIELDS, await call.body());
        const wished = readFields(SETTINGS_FIELDS, settings ?? {});
        return change(call, async (tx, { own, record, link }) => {
          const before = linkSettings(link);
          const { viewer_dates: viewerDates = link.viewerDates, annotations = link.annotations } = wished;
          const after = { viewer_dates: viewerDates, annotations };
          const isOn = enabled ?? link.enabled;
          if (isOn && !link.enabled) await checkOpen?.(tx, own, record);
          await updateLink(tx, keyOf(record), { enabled: isOn, viewerDates, annotations, nowMs: call.nowMs });
          if (isOn !== link.enabled) {
            const activity = isOn ? "sharing enabled" : "sharing disabled";
            await resource.record(tx, call, record, activity, [changed("sharing", link.enabled, isOn)]);
          }
          const changes = (Object.keys(before) as (keyof typeof before)[])
            .filter((name) => after[name] !== before[name])
            .map((name) => changed(name, before[name], after[name]));
          if (changes.length > 0) await resource.record(tx, call, record, "sharing changed", changes);
        });
      },
    },
    {
      method: "POST",
      path: `${base}refresh/`,
      summary: "Give the link another token; the old one opens nothing any more",
      scope: "sharing_configuration:write",
      responses: { 200: SHARING.schema },
      handle: (call) =>
        change(call, async (tx, { record }) => {
          await refreshLinkToken(tx, keyOf(record));
          await resource.record(tx, call, record, "access token refreshed");
        }),
    },
  ];

  function changed(field: string, before: boolean, after: boolean): Change {
    return { type: resource.description.log, action: "changed", field, before, after };
  }
}
