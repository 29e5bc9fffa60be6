/** A colour for light and for dark pages. */
export interface Accent {
  readonly light: string;
  readonly dark: string;
}

/**
 * The backgrounds of the built-in theme on which text in the accent colour stands: `--paper` and `--tint` of
 * templates/style.css. A test compares the two files.
 */
export const BACKGROUNDS = { light: ['#fdfcf8', '#f4f1e9'], dark: ['#191815', '#23211d'] } as const;

/** What text of any size needs (WCAG 2.2, 1.4.3, level AA). */
const LEAST_CONTRAST = 4.5;

/**
 * The nearest colours of the same hue that can be read on light and on dark paper: a colour that can be read
 * stays as it is.
 *
 * @param colour `#rgb` or `#rrggbb`.
 */
export function accentOf(colour: string): Accent {
  const { hue, saturation, lightness } = hslOf(channelsOf(colour));
  return { light: towards(0, BACKGROUNDS.light), dark: towards(1, BACKGROUNDS.dark) };

  function towards(end: 0 | 1, backgrounds: readonly string[]): string {
    for (let step = 0; step <= 100; step++) {
      const shade = hexOf(hue, saturation, lightness + ((end - lightness) * step) / 100);
      if (backgrounds.every((background) => contrast(shade, background) >= LEAST_CONTRAST)) return shade;
    }
    return end === 0 ? '#000000' : '#ffffff';
  }
}

/** The contrast of two colours: 1 for the same, 21 for black and white (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue from 0 to 1. */
function channelsOf(colour: string): [number, number, number] {
  const digits = colour.slice(1);
  const full = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  const channel = (at: number) => Number.parseInt(full.slice(at, at + 2), 16) / 255;
  return [channel(0), channel(2), channel(4)];
}

function hslOf([red, green, blue]: readonly [number, number, number]) {
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  const lightness = most - spread / 2;
  if (spread === 0) return { hue: 0, saturation: 0, lightness };
  const turn =
    most === red
      ? (green - blue) / spread
      : most === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread;
  const saturation = spread / (1 - Math.abs(2 * lightness - 1));
  return { hue: (turn * 60 + 360) % 360, saturation, lightness };
}

function hexOf(hue: number, saturation: number, lightness: number): string {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const place = (offset + hue / 30) % 12;
    const value = lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
