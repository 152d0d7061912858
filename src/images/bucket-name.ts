/** S3's rules for bucket names: no valid name is a path, a hidden folder or an IP address. */
export function isBucketName(text: string): boolean {
  return (
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text) &&
    !/\.\.|\.-|-\.|^\d+\.\d+\.\d+\.\d+$|^xn--|^sthree-|-s3alias$|--ol-s3$/.test(text)
  )
}
