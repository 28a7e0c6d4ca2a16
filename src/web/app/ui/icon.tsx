/** Paths of icons on a grid of 24 (lucide, ISC license). */
const PATHS = {
  home: "M3 10.5 12 3l9 7.5V21h-6v-6H9v6H3z",
  insights: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  dashboard: "M3 3h8v8H3zM13 3h8v5h-8zM13 10h8v11h-8zM3 13h8v8H3z",
  bolt: "M13 2 4 14h7l-1 8 9-12h-7z",
  health: "M2 12h5l3 8 4-16 3 8h5",
  settings: "M4 7h10M18 7h2M4 17h4M12 17h8M16 7a2 2 0 1 1-4 0 2 2 0 0 1 4 0M12 17a2 2 0 1 1-4 0 2 2 0 0 1 4 0",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  search: "M21 21l-4.3-4.3M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14",
  check: "M20 6 9 17l-5-5",
  chevronDown: "M6 9l6 6 6-6",
  chevronUp: "M6 15l6-6 6 6",
  chevronRight: "M9 6l6 6-6 6",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14",
  copy: "M9 9h12v12H9zM5 15H3V3h12v2",
  pencil: "M17 3l4 4L8 20l-5 1 1-5z",
  filter: "M3 5h18l-7 8v6l-4 2v-8z",
  calendar: "M4 5h16v16H4zM4 10h16M8 2v5M16 2v5",
  refresh: "M20 11a8 8 0 1 0-2 6.5M20 4v7h-7",
  download: "M12 3v12M7 10l5 5 5-5M4 21h16",
  share:
    "M18 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6M6 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6M18 22a3 3 0 1 0 0-6 3 3 0 0 0 0 6M8.6 13.5l6.8 4M15.4 6.5l-6.8 4",
  people: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M2 21v-1a6 6 0 0 1 12 0v1M17 3.5a4 4 0 0 1 0 7M22 21v-1a6 6 0 0 0-4-5.6",
  menu: "M4 6h16M4 12h16M4 18h16",
  sun: "M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10M12 1v2M12 21v2M4.2 4.2l1.4 1.4M18.4 18.4l1.4 1.4M1 12h2M21 12h2M4.2 19.8l1.4-1.4M18.4 5.6l1.4-1.4",
  moon: "M21 13A9 9 0 1 1 11 3a7 7 0 0 0 10 10z",
  code: "M8 6l-6 6 6 6M16 6l6 6-6 6",
  table: "M3 4h18v16H3zM3 10h18M9 4v16",
  warning: "M12 3 1.5 21h21zM12 10v5M12 18h.01",
  drag: "M9 5h.01M9 12h.01M9 19h.01M15 5h.01M15 12h.01M15 19h.01",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  pin: "M12 17v5M5 17h14l-3-5V4H8v8z",
  star: "M12 3l2.8 5.7 6.2.9-4.5 4.4 1 6.2L12 17.3 6.500 20.200l1-6.200L3 9.600l6.200-.9z",
  user: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21v-1a8 8 0 0 1 16 0v1",
  keyboard: "M2 6h20v12H2zM6 10h.01M10 10h.01M14 10h.01M18 10h.01M7 14h10",
  monitor: "M3 4h18v12H3zM8 21h8M12 16v5",
  key: "M21 2l-9.600 9.600M7.500 21a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11M15.500 7.500l3 3L22 7l-3-3",
  rocket: "M5 15c-2 1-2 5-2 6 1 0 5 0 6-2M9 15l-3-3c1-5 5-9 14-9 0 9-4 13-9 14zM15 9h.01",
  logout: "M9 4H4v16h5M16 8l4 4-4 4M20 12H9",
} as const;

export type IconName = keyof typeof PATHS;

/** A picture without words; what it means stands beside it or in a label. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
