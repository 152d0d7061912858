/** `#rrggbb` from a hue in degrees, and a saturation and lightness in percent. */
export function hsl(hue: number, saturation: number, lightness: number): string {
  const light = lightness / 100
  const reach = (saturation / 100) * Math.min(light, 1 - light)
  const part = (offset: number) => {
    const place = (offset + hue / 30 + 12) % 12
    const value = light - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${part(0)}${part(8)}${part(4)}`
}
