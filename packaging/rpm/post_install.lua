-- Lays the tools' links, and removes those of an older version whose tools are gone.
local directory = "/usr/libexec/ikigai/"
local program = "../../bin/ikigai-tools"
for _, name in ipairs(posix.dir(directory) or {}) do
  if posix.readlink(directory .. name) == program then
    os.remove(directory .. name)
  end
end
for name in ("@names@"):gmatch("%S+") do
  if not posix.stat(directory .. name) then
    posix.symlink(program, directory .. name)
  end
end
