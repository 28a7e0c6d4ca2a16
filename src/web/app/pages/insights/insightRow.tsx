import { useLocation } from "preact-iso";
import { invalidate } from "../../api/cache.ts";
import { insightsKey } from "../../api/keys.ts";
import { insightName } from "../../format/name.ts";
import { formatRelative } from "../../format/relative.ts";
import { kindOf } from "../../kinds/mod.ts";
import { readNode } from "../../kinds/readNode.ts";
import { sourceOf } from "../../kinds/wrapping.ts";
import { useMayMake } from "../../session/environment.ts";
import { mayEdit } from "../../session/rights.ts";
import { IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { told } from "../../ui/task.ts";
import { derivedName } from "../parts/insight/derivedName.ts";
import { changeInsight, createInsight } from "../parts/insight/insightApi.ts";
import { removeInsight } from "../parts/insight/removing.ts";
import type { Row } from "./list.ts";

const KIND_WORDS: Readonly<Record<string, string>> = { HogQLQuery: "SQL", EventsQuery: "Events" };

/** An insight of the list. */
export function InsightRow({ projectId, row }: { projectId: number; row: Row }) {
  const { route } = useLocation();
  const node = readNode(row.query);
  const source = node === null ? null : sourceOf(node);
  const kind = source === null ? undefined : kindOf(source);
  const name = insightName({ ...row, derived_name: row.derived_name || (node && derivedName(node)) });
  const address = `/project/${projectId}/insights/${row.short_id}`;
  const isOurs = mayEdit("insight", row);
  const attempt = (ask: Promise<unknown>) => void told(() => ask.then(() => invalidate(insightsKey(projectId))));
  const duplicate = async () => {
    if (node === null) return;
    const { description, tags } = row;
    const made = await createInsight(projectId, {
      name: `${name} (copy)`,
      description: description ?? "",
      tags,
      query: node,
    });
    route(`/project/${projectId}/insights/${made.short_id}/edit`);
  };
  const mayMake = useMayMake(projectId);
  const items: MenuItem[] = [];
  if (isOurs) items.push({ label: "Edit", icon: "pencil", href: `${address}/edit` });
  if (mayMake("insight")) items.push({ label: "Duplicate", icon: "copy", onSelect: () => attempt(duplicate()) });
  if (isOurs) {
    const remove = () => void removeInsight(projectId, row);
    items.push({ label: "Delete", icon: "trash", isDangerous: true, onSelect: remove });
  }
  return (
    <li class="insight-row">
      <IconButton
        label={`Favourite: ${name}`}
        icon="star"
        class={row.favorited ? "favourite on" : "favourite"}
        aria-pressed={row.favorited}
        disabled={!isOurs}
        onClick={() => attempt(changeInsight(projectId, row.id, { favorited: !row.favorited }))}
      />
      <span class="insight-row-kind" title={kind?.title}>
        <Icon name={kind?.icon ?? "table"} />
        <span class="unseen">{kind?.title ?? KIND_WORDS[source?.kind ?? ""] ?? "Other"}</span>
      </span>
      <span class="insight-row-names">
        <a href={address} dir="auto" title={name} class={row.name ? undefined : "derived"}>
          {name}
        </a>
        {row.description && (
          <span class="pale cut" dir="auto" title={row.description}>
            {row.description}
          </span>
        )}
      </span>
      <span class="insight-row-tags">
        {row.tags.map((tag) => (
          <span key={tag} class="tag cut" dir="auto" title={tag}>
            {tag}
          </span>
        ))}
      </span>
      <span class="insight-row-by pale" dir="auto" title={row.created_by?.email}>
        {row.created_by?.first_name || row.created_by?.email}
      </span>
      <time
        class="insight-row-at pale"
        dateTime={row.last_modified_at}
        title={new Date(row.last_modified_at).toLocaleString("en-GB")}
      >
        {formatRelative(row.last_modified_at)}
      </time>
      {items.length > 0 && <Menu icon="more" label={`More: ${name}`} items={items} />}
    </li>
  );
}
