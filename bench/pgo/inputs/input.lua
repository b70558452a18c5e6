local function fib(n) if n<2 then return n end return fib(n-1)+fib(n-2) end
local t={} for i=1,20000 do t[i]=(i*7919)%10007 end table.sort(t)
local s=0 for k,v in ipairs(t) do s=s+v*k%97 end
local parts={} for i=1,3000 do parts[#parts+1]=string.format("%d:%s",i,("x"):rep(i%7)) end
local str=table.concat(parts,",") local n=0 for w in str:gmatch("%d+") do n=n+tonumber(w) end
print(fib(20),s,n,#str)
