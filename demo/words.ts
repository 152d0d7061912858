const manners = `amber brisk calm dapper eager fluffy gentle happy idle jolly keen lucky mellow nimble plucky quiet
  rusty sleepy tidy witty`.split(/\s+/)
const animals = `badger beaver capybara dormouse egret ferret gecko heron ibis lemur marmot newt otter pangolin quokka
  raccoon stoat tapir vole wombat`.split(/\s+/)

/** 400 handles. */
export const handles = manners.flatMap((manner) => animals.map((animal) => `${manner}-${animal}`))

export const banReasons = [
  'Advertising in reports',
  'Requests from a stolen API key',
  'Reported every image of a kind',
  'Several accounts to get around a limit',
  'Embed links on a site that sells them',
]

export const reportReasons = ['The wrong kind', 'A duplicate', 'Too dark to see anything', 'Has a watermark']

export const keyNames = ['photo frame', 'chat bot', 'website', 'nightly import', 'dashboard', 'tests']
