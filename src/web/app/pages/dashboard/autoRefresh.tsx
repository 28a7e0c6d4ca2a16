import { useEffect, useState } from "preact/hooks";
import { IconButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { BoardModel } from "../parts/board/model.ts";

const MINUTE_MS = 60_000;
const CHOICES = [
  { minutes: 0, label: "Off" },
  { minutes: 1, label: "Every minute" },
  { minutes: 5, label: "Every 5 minutes" },
  { minutes: 15, label: "Every 15 minutes" },
  { minutes: 60, label: "Every hour" },
] as const;

/** Calculates all tiles anew: now, and at intervals while the page is in sight. This browser keeps the choice. */
export function AutoRefresh({ model }: { model: BoardModel }) {
  const key = `weir.refresh.${model.id}`;
  const [minutes, setMinutes] = useState(() => Number(localStorage.getItem(key) ?? 0));
  const { refreshAll } = model;
  useEffect(() => {
    if (!(minutes > 0)) return;
    const tick = () => document.visibilityState === "visible" && refreshAll();
    const timer = setInterval(tick, minutes * MINUTE_MS);
    return () => clearInterval(timer);
  }, [minutes]);
  const choose = (next: number) => {
    setMinutes(next);
    localStorage.setItem(key, String(next));
  };
  return (
    <span class="board-refresh">
      <IconButton label="Refresh all" icon="refresh" onClick={refreshAll} />
      <Menu
        icon="chevronDown"
        label={minutes > 0 ? `Refresh by itself: every ${minutes} min` : "Refresh by itself: off"}
        items={CHOICES.map((choice) => ({
          label: choice.label,
          isChosen: choice.minutes === minutes,
          onSelect: () => choose(choice.minutes),
        }))}
      >
        {minutes > 0 ? `${minutes} min` : undefined}
      </Menu>
    </span>
  );
}
